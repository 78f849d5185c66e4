"""Prints what real packages make of pictures: run by the environment of the peers, never imported.

    python pictures.py < sizes.json > tokens.json

The input is a list of [width, height]; the output has, for each rule whose package is installed, a list of tokens.
OpenAI's tiles come from litellm, Qwen's patches from the image processor of transformers (with the settings of the
models' own preprocessor_config.json), Mistral's from mistral-common.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

Rule = Callable[[int, int], int | None]
SHORTER_SIDE = 768
"""To which OpenAI scales the shorter side."""
AROUND_QWEN = 2
"""<|vision_start|> and <|vision_end|>."""


def openai() -> Rule:
    from litellm.litellm_core_utils.token_counter import calculate_tiles_needed, resize_image_high_res

    def tokens(width: int, height: int) -> int | None:
        if min(width, height) < SHORTER_SIDE < max(width, height):
            return None  # it would enlarge the picture; OpenAI's guide only scales down
        return 85 + 170 * calculate_tiles_needed(*resize_image_high_res(width, height))

    return tokens


def qwen(patch: int, fewest: int, most: int) -> Callable[[], Rule]:
    def made() -> Rule:
        from transformers.models.qwen2_vl import image_processing_pil_qwen2_vl as qwen2_vl

        size = {"shortest_edge": fewest, "longest_edge": most}
        processor = qwen2_vl.Qwen2VLImageProcessorPil(patch_size=patch, merge_size=2, size=size)
        return lambda width, height: processor.get_number_of_image_patches(height, width) // 4 + AROUND_QWEN

    return made


def mistral(patch: int, merged: int, longest: int) -> Callable[[], Rule]:
    def made() -> Rule:
        from mistral_common.tokens.tokenizers.image import ImageConfig, ImageEncoder, SpecialImageIDs
        from PIL import Image

        config: Any = ImageConfig(image_patch_size=patch, spatial_merge_size=merged, max_image_size=longest)
        encoder = ImageEncoder(config, SpecialImageIDs(img=1, img_break=2, img_end=3))

        def tokens(width: int, height: int) -> int:
            columns, rows = encoder._image_to_num_tokens(Image.new("1", (width, height)))
            return (columns + 1) * rows

        return tokens

    return made


RULES: dict[str, tuple[str, Callable[[], Rule]]] = {
    "openai": ("litellm", openai),
    "qwen-2.5": ("transformers", qwen(14, 56 * 56, 12_845_056)),
    "qwen-3": ("transformers", qwen(16, 65_536, 16_777_216)),
    "pixtral": ("mistral_common", mistral(16, 1, 1024)),
    "mistral": ("mistral_common", mistral(14, 2, 1540)),
}


def main() -> None:
    sizes = json.load(sys.stdin)
    tokens = {
        name: [count(width, height) for width, height in sizes]
        for name, (package, make) in RULES.items()
        if find_spec(package) is not None
        for count in [make()]
    }
    json.dump(tokens, sys.stdout)


if __name__ == "__main__":
    main()
