"""The codes of providers' errors by kind: types, codes and statuses, in lower case.

From the documentation that tests/models/errors/vectors names, and from bodies that were seen.
"""

from __future__ import annotations

from desktop_app.chat.ports import ErrorKind

_CODES: dict[ErrorKind, str] = {
    "overflow": """
        context_length_exceeded context_window_exceeded exceed_context_size_error
        model_max_prompt_tokens_exceeded request_too_large string_above_max_length
    """,
    "quota": """
        insufficient_quota billing_error budget_exceeded billing_hard_limit_reached billing_not_active
        exceeded_current_quota_error insufficient_credits insufficient_balance payment_required
        quota_exceeded usage_limit_reached arrearage
    """,
    "content_filter": """
        content_filter content_policy_violation responsibleaipolicyviolation prohibited_content safety
        blocklist data_inspection_failed datainspectionfailed invalid_prompt moderation
    """,
    "malformed": "invalid_request_message_order invalid_function_call",
    "unsupported": "unsupported_parameter unsupported_value",
    "rate_limit": """
        rate_limit_exceeded rate_limit_error rate_limit_reached_error throttlingexception too_many_requests
        too_many_tokens_error token_quota_exceeded request_quota_exceeded resource_exhausted
    """,
    "not_found": """
        model_not_found model_not_supported model_decommissioned invalid_model not_found not_found_error
        notfounderror deploymentnotfound resource_not_found_error resourcenotfoundexception
    """,
    "timeout": "timeout_error deadline_exceeded modeltimeoutexception request_timeout",
    "server": """
        overloaded_error engine_overloaded_error queue_exceeded server_error internal_server_error internal
        unavailable unavailable_error service_unavailable serviceunavailableexception
        internalserverexception modelnotreadyexception tool_use_failed
    """,
    "auth": """
        invalid_api_key incorrect_api_key api_key_invalid authentication_error invalid_authentication_error
        unauthenticated unauthorized permission_error permission_denied accessdeniedexception
        unrecognizedclientexception expiredtokenexception unsupported_country_region_territory
    """,
}

CODES: dict[ErrorKind, frozenset[str]] = {kind: frozenset(codes.split()) for kind, codes in _CODES.items()}
"""In the order of precedence where a body has several codes."""
