"""The codes of providers' errors, for programs: types, codes and statuses by name, in small letters.

From the pages of documentation that tests/models/errors/vectors names, and from bodies that were seen.
"""

from __future__ import annotations

from desktop_app.chat.ports import ErrorKind

CODES: dict[ErrorKind, frozenset[str]] = {
    "overflow": frozenset(
        {
            "context_length_exceeded",
            "context_window_exceeded",
            "exceed_context_size_error",
            "model_max_prompt_tokens_exceeded",
            "request_too_large",
            "string_above_max_length",
        }
    ),
    "quota": frozenset(
        {
            "insufficient_quota",
            "billing_error",
            "budget_exceeded",
            "billing_hard_limit_reached",
            "billing_not_active",
            "exceeded_current_quota_error",
            "insufficient_credits",
            "insufficient_balance",
            "payment_required",
            "quota_exceeded",
            "usage_limit_reached",
            "arrearage",
        }
    ),
    "content_filter": frozenset(
        {
            "content_filter",
            "content_policy_violation",
            "responsibleaipolicyviolation",
            "prohibited_content",
            "safety",
            "blocklist",
            "data_inspection_failed",
            "datainspectionfailed",
            "invalid_prompt",
            "moderation",
        }
    ),
    "malformed": frozenset({"invalid_request_message_order", "invalid_function_call"}),
    "unsupported": frozenset({"unsupported_parameter", "unsupported_value"}),
    "rate_limit": frozenset(
        {
            "rate_limit_exceeded",
            "rate_limit_error",
            "rate_limit_reached_error",
            "throttlingexception",
            "too_many_requests",
            "too_many_tokens_error",
            "token_quota_exceeded",
            "request_quota_exceeded",
            "resource_exhausted",
        }
    ),
    "not_found": frozenset(
        {
            "model_not_found",
            "model_not_supported",
            "model_decommissioned",
            "invalid_model",
            "not_found",
            "not_found_error",
            "notfounderror",
            "deploymentnotfound",
            "resource_not_found_error",
            "resourcenotfoundexception",
        }
    ),
    "timeout": frozenset({"timeout_error", "deadline_exceeded", "modeltimeoutexception", "request_timeout"}),
    "server": frozenset(
        {
            "overloaded_error",
            "engine_overloaded_error",
            "queue_exceeded",
            "server_error",
            "internal_server_error",
            "internal",
            "unavailable",
            "unavailable_error",
            "service_unavailable",
            "serviceunavailableexception",
            "internalserverexception",
            "modelnotreadyexception",
            "tool_use_failed",
        }
    ),
    "auth": frozenset(
        {
            "invalid_api_key",
            "incorrect_api_key",
            "api_key_invalid",
            "authentication_error",
            "invalid_authentication_error",
            "unauthenticated",
            "unauthorized",
            "permission_error",
            "permission_denied",
            "accessdeniedexception",
            "unrecognizedclientexception",
            "expiredtokenexception",
            "unsupported_country_region_territory",
        }
    ),
}
"""Codes by kind, in the order in which they count where a body has several."""
