"""The widgets of the window that the controllers use."""

from __future__ import annotations

import msgspec

from .composer.composer import Composer
from .context_panel.context_panel import ContextPanel
from .failure_card import FailureCard
from .gauge.context_gauge import ContextGauge
from .header import Header
from .questions.question_card import QuestionCard
from .sidebar.sidebar import Sidebar
from .toast import Toast
from .transcript.transcript_model import TranscriptModel
from .transcript.transcript_widget import TranscriptWidget


class Parts(msgspec.Struct, frozen=True):
    """Widgets, and the model of the transcript."""

    sidebar: Sidebar
    header: Header
    transcript: TranscriptWidget
    transcript_model: TranscriptModel
    composer: Composer
    gauge: ContextGauge
    panel: ContextPanel
    toast: Toast
    failure: FailureCard
    question: QuestionCard
