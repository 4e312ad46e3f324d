import { type ErrorCode, type JsonObject, LonghaulError } from '@longhaul/protocol';
import { howToSetKey } from './api-key-variables.ts';
import { readContentRefusal } from './content-refusal.ts';
import { type ErrorBody, readErrorBody } from './error-body.ts';
import { readNetworkFailure } from './network-failure.ts';
import { networkVerdict } from './network-verdict.ts';
import { readOutputRefusal } from './output-limit.ts';
import { isRateLimitText, type Overflow, readOverflow } from './overflow-patterns.ts';
import { readReasoningRefusal } from './reasoning-refusal.ts';
import { readRetryAfterMs } from './retry-after.ts';
import { maskSecrets } from './secrets.ts';
import { readTokenBudget } from './token-budget.ts';
import { adviceWithoutTools, saysNoTools } from './tool-refusal.ts';

export interface ProviderFailure {
  /** HTTP status. Absent if there was no answer, or if the error came inside a stream. */
  status?: number;
  /** The original body: JSON, an SSE event, HTML or nothing. */
  body?: string;
  headers?: Readonly<Record<string, string>>;
  /** The client library's message. */
  message?: string;
  cause?: unknown;
  provider: string;
  /** Empty if no model is named. */
  model: string;
  /** The request's URL, for messages. */
  url?: string;
  /** Values that must not appear in the message, such as the key. */
  secrets?: readonly string[];
  /** For dates in `retry-after`. Default: the current time. */
  now?: number;
}

/**
 * Maps any failure of a provider to one error with one code. This is the only place where message text decides
 * anything. Types and codes are checked first, then text. A rate limit is never an overflow.
 *
 * `data` has `provider`, `model` and, if known, `status`, `windowTokens` and `requestTokens` (of `context_overflow`),
 * `retryAfterMs`, `reasoning` if the refusal is about the reasoning of earlier answers, and `content` if it is or may be about
 * other content of the request. The message has no secret, and at most a few hundred characters of the provider's text.
 */
export function mapProviderError(failure: ProviderFailure): LonghaulError {
  const body = readErrorBody(failure.body, failure.message);
  const facts: Facts = { failure, body, said: quote(body, failure.secrets), at: address(failure) };
  const verdict = judge(facts);
  const data: JsonObject = { provider: failure.provider, model: failure.model, ...verdict.data };
  if (failure.status !== undefined) data['status'] = failure.status;
  if (MAY_BE_CONTENT.has(verdict.code) && data['reasoning'] === undefined) {
    const content = readContentRefusal(failure.status, body);
    if (content !== undefined) data['content'] = { ...content };
  }
  const retryAfterMs = readRetryAfterMs({
    headers: failure.headers ?? {},
    retryDelay: body.retryDelay,
    text: body.text,
    now: failure.now ?? Date.now(),
  });
  if (retryAfterMs !== undefined) data['retryAfterMs'] = retryAfterMs;
  return new LonghaulError(verdict.code, verdict.message, { cause: failure.cause, data });
}

const MAY_BE_CONTENT: ReadonlySet<ErrorCode> = new Set(['provider_bad_request', 'input_unsupported']);

interface Facts {
  failure: ProviderFailure;
  body: ErrorBody;
  /** ` It said: "…"`, or empty. */
  said: string;
  /** For example `openai (https://api.openai.com)`. */
  at: string;
}

interface Verdict {
  code: ErrorCode;
  message: string;
  data?: JsonObject;
}

/** The first rule with a verdict decides, so their order matters. */
function judge(facts: Facts): Verdict {
  for (const rule of RULES) {
    const verdict = rule(facts);
    if (verdict) return verdict;
  }
  return otherwise(facts);
}

const RULES: readonly ((facts: Facts) => Verdict | undefined)[] = [
  ofNetwork,
  ofQuota,
  ofTokenBudget,
  ofRateLimit,
  ofContentFilter,
  ofPlace,
  ofFirewall,
  ofAuthentication,
  ofOverflow,
  ofUnreadCall,
  ofAnswerLength,
  ofMissingAbility,
  ofMissingModel,
  ofOverload,
  ofHtml,
];

function ofNetwork({ failure, at }: Facts): Verdict | undefined {
  const hasAnswer = failure.status !== undefined;
  if (hasAnswer && failure.status !== 200) return undefined;
  const network = readNetworkFailure(failure.cause, hasAnswer);
  return network && networkVerdict(network, at, failure.provider);
}

function ofQuota({ failure, body, said, at }: Facts): Verdict | undefined {
  const isQuota =
    failure.status === 402 ||
    hasCode(body, 'insufficient_quota', 'billing_error', 'billing_hard_limit_reached', 'payment_required') ||
    /credit balance is too low|insufficient (?:balance|credits)/i.test(body.text);
  if (!isQuota) return undefined;
  return { code: 'provider_quota', message: `${at} refuses because the account has no credit left.${said}` };
}

/** No wait helps a request that needs more tokens in one minute than the account has. */
function ofTokenBudget({ failure, body, said, at }: Facts): Verdict | undefined {
  const windowTokens = isServerError(failure.status) ? undefined : readTokenBudget(body.text);
  if (windowTokens === undefined) return undefined;
  const message = `${at} accepts at most ${windowTokens} tokens of input and output a minute for ${failure.model}, and one request needs more.${said}`;
  return { code: 'context_overflow', message, data: { windowTokens } };
}

function ofRateLimit({ failure, body, said, at }: Facts): Verdict | undefined {
  const isLimit =
    failure.status === 429 ||
    hasCode(
      body,
      'rate_limit_error',
      'rate_limit_exceeded',
      'resource_exhausted',
      'too_many_requests',
      'throttlingexception',
    ) ||
    (isRateLimitText(body.text) && !isServerError(failure.status) && !readOverflow(body));
  if (!isLimit) return undefined;
  return { code: 'provider_rate_limit', message: `${at} limits the rate of requests.${said}` };
}

/** OpenAI, Anthropic and Google refuse requests from some places, whatever the key. */
const REFUSED_PLACE =
  /(?:country|territory|user location)\b.{0,40}\bnot (?:supported|available|allowed)|not (?:available|supported) in your (?:country|location)/i;

function ofPlace({ failure, body, said, at }: Facts): Verdict | undefined {
  if (!isClientError(failure.status)) return undefined;
  const isPlace = hasCode(body, 'unsupported_country_region_territory') || REFUSED_PLACE.test(body.text);
  if (!isPlace) return undefined;
  const message = `${at} does not accept requests from the country or region of this machine.${said}`;
  return { code: 'provider_bad_request', message };
}

function ofFirewall({ failure, body, said, at }: Facts): Verdict | undefined {
  if (failure.status !== 403 || !body.isHtml) return undefined;
  const message = `${at} did not get the request: a firewall or proxy in front of it refused it (HTTP 403).${said}`;
  return { code: 'provider_bad_request', message };
}

function ofAuthentication({ failure, body, said, at }: Facts): Verdict | undefined {
  const isRefused =
    failure.status === 401 ||
    failure.status === 403 ||
    hasCode(
      body,
      'authentication_error',
      'invalid_api_key',
      'api_key_invalid',
      'permission_error',
      'unauthenticated',
    );
  if (!isRefused) return undefined;
  const forModel = failure.model === '' ? '' : ` for model ${failure.model}`;
  const message = `${at} does not accept the API key${forModel}. ${howToSetKey(failure.provider)}${said}`;
  return { code: 'provider_auth', message };
}

/** Groq: the request was fine, and the model wrote a call that cannot be read. Another answer may be better. */
function ofUnreadCall({ failure, body, said, at }: Facts): Verdict | undefined {
  if (!hasCode(body, 'tool_use_failed')) return undefined;
  const message = `${at} could not read a tool call that ${failure.model} wrote.${said}`;
  return { code: 'provider_bad_response', message };
}

/** The field for the length of an answer is wrong, or its value. */
function ofAnswerLength({ failure, body, said, at }: Facts): Verdict | undefined {
  if (!isClientError(failure.status)) return undefined;
  const refusal = readOutputRefusal(body.text);
  if (refusal === undefined) return undefined;
  const setting =
    refusal.maxTokensField === undefined
      ? `providers.${failure.provider}.models.${failure.model}.maxOutput`
      : `providers.${failure.provider}.maxTokensField: ${refusal.maxTokensField}`;
  const message = `${at} refused the maximum length of the answer (HTTP ${failure.status}). Set ${setting}.${said}`;
  return { code: 'provider_bad_request', message, data: { ...refusal } };
}

function ofOverflow({ failure, body, said, at }: Facts): Verdict | undefined {
  const { status } = failure;
  const overflow = canBeOverflow(status) ? (readOverflow(body) ?? silentOverflow(failure, body)) : undefined;
  if (!overflow) return undefined;
  const sizes = [
    overflow.requestTokens === undefined ? '' : ` ${overflow.requestTokens} tokens were sent.`,
    overflow.windowTokens === undefined ? '' : ` Its window is ${overflow.windowTokens} tokens.`,
  ];
  const message = `The request is too long for ${failure.model} at ${at}.${sizes.join('')}${said}`;
  return { code: 'context_overflow', message, data: { ...overflow } };
}

/**
 * Cerebras answers a prompt that is too long with an empty 400 or 413. An empty body of another provider does not mean
 * that.
 */
function silentOverflow({ status, provider }: ProviderFailure, body: ErrorBody): Overflow | undefined {
  const isBare = body.isEmpty && (status === 400 || status === 413);
  return isBare && /cerebras/i.test(provider) ? {} : undefined;
}

/** Inside a stream there is no status, or it is 200. Servers of local models also use 500. */
function canBeOverflow(status: number | undefined): boolean {
  return status === undefined || [200, 400, 413, 422, 500].includes(status);
}

const NO_MEDIA =
  /(?:does not|doesn't|do not) support (?:image|vision|file|pdf|audio)|(?:image|file|pdf|audio) (?:input|content)s? (?:is|are) not supported|image_url is only supported|no endpoints found that support image/i;

function ofMissingAbility({ failure, body, said, at }: Facts): Verdict | undefined {
  if (saysNoTools(body.text)) {
    const advice = adviceWithoutTools(body.text, failure.provider);
    const message = `Model ${failure.model} at ${at} cannot call tools, which an agent needs. ${advice}${said}`;
    return { code: 'tools_unsupported', message };
  }
  if (!NO_MEDIA.test(body.text)) return undefined;
  const message = `Model ${failure.model} at ${at} does not accept this kind of file or image.${said}`;
  return { code: 'input_unsupported', message };
}

/** OpenAI: an item of an earlier answer is not stored. It does not mean that the model is missing. */
const NO_SUCH_ITEM = /\bitem\b.{0,120}\bnot found|previous.response.{0,120}\bnot found/is;

/** Texts that a server sends for an unknown path. They don't mean that a model is missing. */
const NO_SUCH_PATH =
  /\b(?:invalid|unknown|unexpected|unsupported) (?:request )?(?:url|endpoint|path|route)\b|\bcannot (?:post|get) \//i;

/** OpenRouter has the model, but the account's settings exclude each server that offers it. */
const NO_ALLOWED_SERVER = /no endpoints (?:found )?(?:matching|available matching)|no allowed providers/i;

function ofMissingModel({ failure, body, said, at }: Facts): Verdict | undefined {
  const isMissing =
    failure.status === 404 || hasCode(body, 'model_not_found', 'not_found_error', 'model_not_exist');
  if (!isMissing) return undefined;
  if (NO_SUCH_PATH.test(body.text)) {
    const message = `${at} has nothing at this address. Check the base URL: that of an OpenAI-compatible server usually ends in /v1.${said}`;
    return { code: 'provider_bad_request', message };
  }
  if (NO_SUCH_ITEM.test(body.text)) {
    const message = `${at} does not have a part of the conversation any more that the request refers to.${said}`;
    return { code: 'provider_bad_request', message };
  }
  if (NO_ALLOWED_SERVER.test(body.text)) {
    const message = `${at} has no server for ${failure.model} that the account's settings there allow. Change its data policy or its list of providers.${said}`;
    return { code: 'model_not_found', message };
  }
  const advice =
    failure.url === undefined || !(body.isEmpty || body.isHtml)
      ? 'Check the name of the model.'
      : 'Check the name of the model, and the base URL: that of an OpenAI-compatible server usually ends in /v1.';
  return { code: 'model_not_found', message: `${at} has no model ${failure.model}. ${advice}${said}` };
}

/** OpenRouter answers with status 403. */
const FLAGGED = /requires moderation on .{0,80}\bflagged\b/is;

function ofContentFilter({ body, said, at }: Facts): Verdict | undefined {
  const isFiltered =
    hasCode(body, 'content_filter', 'content_policy_violation', 'responsibleaipolicyviolation') ||
    FLAGGED.test(body.text);
  if (!isFiltered) return undefined;
  return {
    code: 'provider_content_filter',
    message: `${at} refused the request because of its content policy.${said}`,
  };
}

function ofOverload({ failure, body, said, at }: Facts): Verdict | undefined {
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

function ofHtml({ failure, body, at }: Facts): Verdict | undefined {
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

function otherwise({ failure, body, said, at }: Facts): Verdict {
  const { status } = failure;
  if (isClientError(status) || hasCode(body, 'invalid_request_error', 'invalid_argument')) {
    const hint = status === 413 ? ' It, or a proxy in front of it, does not accept requests this large.' : '';
    const message = `${at} refused the request as invalid (HTTP ${status ?? 'unknown'}).${hint}${said}`;
    const reasoning = readReasoningRefusal(body.text);
    if (reasoning === undefined) return { code: 'provider_bad_request', message };
    const advice = ` Set providers.${failure.provider}.reasoning.return: ${reasoning === 'required' ? 'all-or-empty' : 'none'}.`;
    return { code: 'provider_bad_request', message: `${message}${advice}`, data: { reasoning } };
  }
  const reason = status === undefined || status === 200 ? 'failed' : `failed (HTTP ${status})`;
  return { code: 'provider_bad_response', message: `${at} ${reason}.${said || ' It gave no reason.'}` };
}

function hasCode(body: ErrorBody, ...codes: string[]): boolean {
  // AWS writes `com.amazon.coral#ThrottlingException`.
  return codes.some(
    (code) => body.codes.has(code) || [...body.codes].some((own) => own.endsWith(`#${code}`)),
  );
}

function isServerError(status: number | undefined): boolean {
  return status !== undefined && status >= 500;
}

function isClientError(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500;
}

const MAX_QUOTE = 300;

function quote(body: ErrorBody, secrets: readonly string[] | undefined): string {
  const lines = [...new Set(body.text.split('\n').map((line) => line.trim()))].filter((line) => line !== '');
  // Secrets are masked before the text is cut, because half a key has no known shape.
  const text = maskSecrets(lines.join(' '), secrets).trim();
  if (text === '') return '';
  return ` It said: "${text.length > MAX_QUOTE ? `${text.slice(0, MAX_QUOTE)}…` : text}"`;
}

function address({ provider, url }: ProviderFailure): string {
  if (url === undefined || !URL.canParse(url)) return provider;
  // Origin and path only: the query, the user and the password may contain the key.
  const { origin, pathname } = new URL(url);
  return `${provider} (${origin}${pathname})`;
}
