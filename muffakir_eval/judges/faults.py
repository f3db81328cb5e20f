"""What an exception of an SDK means: a table per SDK, read from the most specific class upwards.

Classes are named, not imported: the tables can be read without either SDK, and they serve the
exceptions that a pipeline's own model lets through. A test fails when an installed SDK has a public
exception that its table does not know.
"""

from __future__ import annotations

from collections.abc import Mapping

from muffakir_eval.judges.protocol import Fault

__all__ = ["ANTHROPIC", "BY_STATUS", "NEVER_RAISED", "OPENAI", "OTHERS"]

OPENAI: Mapping[str, Fault | None] = {
    "APITimeoutError": "timeout",
    "APIConnectionError": "connection",
    "APIResponseValidationError": "server_error",
    "AuthenticationError": "rejected_key",
    "OAuthError": "rejected_key",
    "PermissionDeniedError": "rejected_key",
    "RateLimitError": "rate_limited",
    "ConflictError": "server_error",
    "InternalServerError": None,
    "BadRequestError": "bad_request",
    "NotFoundError": "bad_request",
    "UnprocessableEntityError": "bad_request",
    "APIStatusError": None,
    "APIError": "unknown",
    "OpenAIError": "unknown",
}
"""Public exceptions of ``openai``; ``None`` leaves it to the HTTP status."""

ANTHROPIC: Mapping[str, Fault | None] = {
    "APITimeoutError": "timeout",
    "APIConnectionError": "connection",
    "APIResponseValidationError": "server_error",
    "AuthenticationError": "rejected_key",
    "CredentialsError": "rejected_key",
    "PermissionDeniedError": "rejected_key",
    # The account cannot be used: as with a rejected key, nothing more can be asked.
    "PaymentRequiredError": "rejected_key",
    "LinkedOrganizationBillingUnavailableError": "rejected_key",
    "LinkedOrganizationSpendLimitReachedError": "rejected_key",
    "ContractSpendLimitReachedError": "rejected_key",
    "EnforcedSpendLimitReachedError": "rejected_key",
    "OrganizationOnHoldError": "rejected_key",
    "OrganizationTypeNotSupportedError": "rejected_key",
    "ParentOrganizationRequiredError": "rejected_key",
    "CMEKKeyDisabledError": "rejected_key",
    "CMEKKeyNetworkBlockedError": "rejected_key",
    "ClaudeCodeKeyCreatorNotMemberError": "rejected_key",
    "RampLimitExceededError": "rate_limited",
    "RateLimitError": "rate_limited",
    "RequestTimeoutError": "timeout",
    "GatewayTimeoutError": "timeout",
    "ClientClosedRequestError": "connection",
    "ConflictError": "server_error",
    "OverloadedError": "overloaded",
    "CMEKKeyUnreachableError": "overloaded",
    "CMEKContextUnavailableError": "overloaded",
    "ServiceUnavailableError": "overloaded",
    "InternalServerError": None,
    "HTTPNotImplementedError": "bad_request",
    "BadRequestError": "bad_request",
    "RequestBodyEncodingInvalidError": "bad_request",
    "RequestBodyEncodingUnsupportedError": "bad_request",
    "WorkspaceHumanReviewDisabledError": "bad_request",
    "NotFoundError": "bad_request",
    "PreconditionFailedError": "bad_request",
    "ContentTooLargeError": "bad_request",
    "RequestBodyTooLargeAfterDecodingError": "bad_request",
    "RequestHeaderFieldsTooLargeError": "bad_request",
    "UnprocessableEntityError": "bad_request",
    "APIStatusError": None,
    "APIError": "unknown",
    "AnthropicError": "unknown",
}
"""Public exceptions of ``anthropic``; ``None`` leaves it to the HTTP status."""

OTHERS: Mapping[str, Fault | None] = {
    "JSONDecodeError": "server_error",
    "UnicodeDecodeError": "server_error",
    "TimeoutException": "timeout",
    "TimeoutError": "timeout",
    "Timeout": "timeout",
    "TransportError": "connection",
    "ConnectionError": "connection",
    "ResourceExhausted": "rate_limited",
    "ServiceUnavailable": "overloaded",
    "Unauthenticated": "rejected_key",
    "PermissionDenied": "rejected_key",
    "InvalidArgument": "bad_request",
    "HTTPStatusError": None,
    "HTTPError": None,
}
"""What is no SDK's own: a body that is no JSON, and what HTTP libraries and other SDKs raise."""

NEVER_RAISED: Mapping[str, Mapping[str, str]] = {
    "openai": {
        "LengthFinishReasonError": "raised by `parse` only; we read the finish reason",
        "ContentFilterFinishReasonError": "raised by `parse` only; we read the finish reason",
        "InvalidWebhookSignatureError": "we receive no webhooks",
        "SubjectTokenProviderError": "we use no workload identity",
        "WebSocketConnectionClosedError": "we open no web sockets",
        "WebSocketQueueFullError": "we open no web sockets",
    },
    "anthropic": {
        "APIWebhookValidationError": "we receive no webhooks",
        "ClaudeCodeVersionTooOldError": "of another product",
        "IdentityTokenFileError": "the key is always given by hand",
        "WorkloadIdentityError": "the key is always given by hand",
        "RetryableError": "raised by middleware, of which we have none",
        "SandboxEgressRestrictedError": "we run no sandbox",
        "DeadlineExceededError": "another name of GatewayTimeoutError",
        "RequestTooLargeError": "another name of ContentTooLargeError",
    },
}
"""Public exceptions that no call of ours meets, each with the reason."""

BY_STATUS: Mapping[int, Fault] = {
    401: "rejected_key",
    402: "rejected_key",
    403: "rejected_key",
    408: "timeout",
    409: "server_error",
    425: "server_error",
    429: "rate_limited",
    499: "connection",
    501: "bad_request",
    503: "overloaded",
    504: "timeout",
    529: "overloaded",
}
"""What an HTTP status means by itself; otherwise 5xx is a server error and the rest a bad request."""
