interface ErrorTraits {
  /** HTTP status. */
  readonly status: number;
  /** Exit code of a command: 1 failed, 2 usage, 3 limit, 4 approval denied, 130 cancelled. */
  readonly exitCode: number;
}

const traits = (status: number, exitCode: number): ErrorTraits => ({ status, exitCode });

/** The table of all errors. Programs decide by the code, never by the message text. */
export const ERROR_TRAITS = {
  // The caller's input
  usage: traits(400, 2),
  invalid_request: traits(400, 2),
  config_invalid: traits(400, 2),
  unknown_model: traits(400, 2),
  model_not_configured: traits(400, 2),
  /** No API key is configured where the provider requires one. A refused key is `provider_auth`. */
  key_missing: traits(400, 2),
  window_unknown: traits(400, 2),
  unknown_agent: traits(400, 2),
  not_found: traits(404, 1),
  file_unreadable: traits(400, 2),
  // The connection to the server
  unauthorized: traits(401, 1),
  forbidden: traits(403, 1),
  method_not_allowed: traits(405, 1),
  request_timeout: traits(408, 1),
  request_too_large: traits(413, 1),
  media_type_unsupported: traits(415, 1),
  rate_limited: traits(429, 1),
  shutting_down: traits(503, 1),
  workspace_not_allowed: traits(403, 1),
  /** Reported by a client about a server. */
  server_unreachable: traits(502, 1),
  server_bad_response: traits(502, 1),
  // The session
  session_not_found: traits(404, 1),
  session_busy: traits(409, 1),
  queue_full: traits(429, 1),
  lease_lost: traits(409, 1),
  /** The process of a run does not answer a cancel. */
  process_hung: traits(504, 1),
  cancelled: traits(499, 130),
  /** The run's process stopped or died. The session can be resumed. */
  interrupted: traits(503, 1),
  limit_reached: traits(429, 3),
  /** A budget has nothing left. The next run can continue when it is raised, or on the next day. */
  budget_exceeded: traits(402, 3),
  approval_denied: traits(403, 4),
  doom_loop: traits(422, 3),
  empty_answer: traits(502, 1),
  // The context
  context_overflow: traits(413, 1),
  context_exhausted: traits(413, 1),
  // The provider
  provider_auth: traits(401, 1),
  provider_quota: traits(402, 1),
  provider_rate_limit: traits(429, 1),
  provider_overloaded: traits(503, 1),
  provider_unreachable: traits(502, 1),
  provider_timeout: traits(504, 1),
  provider_stream_cut: traits(502, 1),
  provider_bad_response: traits(502, 1),
  provider_bad_request: traits(400, 1),
  provider_content_filter: traits(422, 1),
  model_not_found: traits(404, 1),
  tools_unsupported: traits(400, 2),
  input_unsupported: traits(415, 2),
  // Storage
  store_unavailable: traits(503, 1),
  store_full: traits(507, 1),
  store_readonly: traits(500, 1),
  store_corrupt: traits(500, 1),
  store_newer: traits(500, 1),
  blob_not_found: traits(404, 1),
  // Sandbox
  sandbox_unavailable: traits(500, 1),
  /** A server of the Model Context Protocol cannot be reached, or fails. */
  mcp_unavailable: traits(502, 1),
  sandbox_failed: traits(500, 1),
  /** A command of an earlier run may still run, and cannot be ended from here. */
  processes_left: traits(409, 1),
  path_outside_workspace: traits(403, 1),
  // A defect in Longhaul
  internal: traits(500, 1),
} as const satisfies Record<string, ErrorTraits>;

export type ErrorCode = keyof typeof ERROR_TRAITS;
