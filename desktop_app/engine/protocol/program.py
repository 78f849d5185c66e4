"""What the program is made of."""

from __future__ import annotations

from desktop_app.conversation.program import ProgramInfo

from .base import EngineRequest, EngineResponse


class ProgramDescribed(EngineResponse, frozen=True):
    """The versions, the folders and the parts."""

    info: ProgramInfo


class LicenceRead(EngineResponse, frozen=True):
    """The whole text of a part's licences; "" where there is none."""

    text: str


class DescribeProgram(EngineRequest[ProgramDescribed], frozen=True):
    """Tell what the program is made of."""


class ReadLicence(EngineRequest[LicenceRead], frozen=True):
    """Read the licences of a part, by its name."""

    part: str


ProgramRequest = DescribeProgram | ReadLicence
