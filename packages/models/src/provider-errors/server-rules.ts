import { readNetworkFailure } from './network-failure.ts';
import { networkVerdict } from './network-verdict.ts';
import { readReasoningRefusal } from './reasoning-refusal.ts';
import { type Facts, hasCode, isClientError, isInside, isServerError, type Verdict } from './verdict.ts';

// Failures of the network, of a server, or of a proxy in front of it; and what no other rule knows.

export function ofNetwork({ failure, at }: Facts): Verdict | undefined {
  const hasAnswer = failure.status !== undefined;
  if (hasAnswer && failure.status !== 200) return undefined;
  const network = readNetworkFailure(failure.cause, hasAnswer);
  if (network === undefined) return undefined;
  const verdict = networkVerdict(network, at, failure.provider);
  if (verdict.code !== 'provider_unreachable' || !isInside(failure)) return verdict;
  const message = `The process of ${at} ended (${network.code}). Perhaps the memory was full: choose a smaller model or window. Its output is in ~/.cache/longhaul/embedded/logs.`;
  return { ...verdict, message };
}

export function ofOverload({ failure, body, said, at }: Facts): Verdict | undefined {
  const { status } = failure;
  const isTimeout =
    status === 408 ||
    status === 504 ||
    status === 524 ||
    hasCode(body, 'timeout_error', 'deadline_exceeded', 'request_timeout');
  if (isTimeout) {
    return { code: 'provider_timeout', message: `${at} did not answer in time (HTTP ${status}).${said}` };
  }
  const isOverloaded =
    status === 503 ||
    status === 529 ||
    hasCode(body, 'overloaded_error', 'engine_overloaded', 'unavailable', 'server_overloaded');
  if (!isOverloaded) return undefined;
  return { code: 'provider_overloaded', message: `${at} is overloaded.${said}` };
}

export function ofHtml({ failure, body, at }: Facts): Verdict | undefined {
  if (!body.isHtml) return undefined;
  const { status } = failure;
  const page = `${at} answered with a web page (HTTP ${status ?? 'unknown'}), not with JSON.`;
  if (isServerError(status)) {
    const message = `${page} The server failed, or a proxy in front of it could not reach it.`;
    return { code: 'provider_bad_response', message };
  }
  const advice =
    status === 413
      ? 'It, or a proxy in front of it, does not accept requests this large.'
      : 'Check the base URL: that of an OpenAI-compatible server usually ends in /v1.';
  const isOurs = isClientError(status);
  return { code: isOurs ? 'provider_bad_request' : 'provider_bad_response', message: `${page} ${advice}` };
}

const WITHOUT_REASON =
  'Look into its log, check the name of the model and the base URL, and try a request without images, tools and the settings body and reasoning.';

export function otherwise({ failure, body, said, at }: Facts): Verdict {
  const { status } = failure;
  if (isClientError(status) || hasCode(body, 'invalid_request_error', 'invalid_argument')) {
    const hint = status === 413 ? ' It, or a proxy in front of it, does not accept requests this large.' : '';
    const reason = said || (hint === '' ? ` It gave no reason. ${WITHOUT_REASON}` : '');
    const message = `${at} refused the request as invalid (HTTP ${status ?? 'unknown'}).${hint}${reason}`;
    const reasoning = readReasoningRefusal(body.text);
    if (reasoning === undefined) return { code: 'provider_bad_request', message };
    const advice = ` Set providers.${failure.provider}.reasoning.return: ${reasoning === 'required' ? 'all-or-empty' : 'none'}.`;
    return { code: 'provider_bad_request', message: `${message}${advice}`, data: { reasoning } };
  }
  const reason = status === undefined || status === 200 ? 'failed' : `failed (HTTP ${status})`;
  return {
    code: 'provider_bad_response',
    message: `${at} ${reason}.${said || ' It gave no reason. Look into its log.'}`,
  };
}
