"""Requests about what the program is made of."""

from __future__ import annotations

import asyncio
from typing import assert_never

from desktop_app.engine import protocol as p
from desktop_app.engine.engine import Engine
from desktop_app.engine.program_parts import describe_program, read_licence


async def respond(engine: Engine, request: p.ProgramRequest) -> p.EngineResponse:
    """Carry out a request; what is missing of an installation is left out."""
    match request:
        case p.DescribeProgram():
            info = await asyncio.to_thread(describe_program, engine.services.data)
            return request.respond_with(p.ProgramDescribed(info))
        case p.ReadLicence():
            return request.respond_with(p.LicenceRead(await asyncio.to_thread(read_licence, request.part)))
        case _:
            assert_never(request)
