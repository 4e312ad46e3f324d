import { howToSetKey } from '../api-key-variables.ts';
import { isRateLimitText, readOverflow } from './overflow-patterns.ts';
import { readTokenBudget } from './token-budget.ts';
import { type Facts, hasCode, isClientError, isServerError, type Verdict } from './verdict.ts';

// Refusals because of the account, its limits, the key or the place.

export function ofQuota({ failure, body, said, at }: Facts): Verdict | undefined {
  const isQuota =
    failure.status === 402 ||
    hasCode(body, 'insufficient_quota', 'billing_error', 'billing_hard_limit_reached', 'payment_required') ||
    /credit balance is too low|insufficient (?:balance|credits)/i.test(body.text);
  if (!isQuota) return undefined;
  return { code: 'provider_quota', message: `${at} refuses because the account has no credit left.${said}` };
}

/** No wait helps a request that needs more tokens in one minute than the account has. */
export function ofTokenBudget({ failure, body, said, at }: Facts): Verdict | undefined {
  const windowTokens = isServerError(failure.status) ? undefined : readTokenBudget(body.text);
  if (windowTokens === undefined) return undefined;
  const message = `${at} accepts at most ${windowTokens} tokens of input and output a minute for ${failure.model}, and one request needs more.${said}`;
  return { code: 'context_overflow', message, data: { windowTokens } };
}

export function ofRateLimit({ failure, body, said, at }: Facts): Verdict | undefined {
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

export function ofPlace({ failure, body, said, at }: Facts): Verdict | undefined {
  if (!isClientError(failure.status)) return undefined;
  const isPlace = hasCode(body, 'unsupported_country_region_territory') || REFUSED_PLACE.test(body.text);
  if (!isPlace) return undefined;
  const message = `${at} does not accept requests from the country or region of this machine.${said}`;
  return { code: 'provider_bad_request', message };
}

export function ofFirewall({ failure, body, said, at }: Facts): Verdict | undefined {
  if (failure.status !== 403 || !body.isHtml) return undefined;
  const message = `${at} did not get the request: a firewall or proxy in front of it refused it (HTTP 403).${said}`;
  return { code: 'provider_bad_request', message };
}

export function ofAuthentication({ failure, body, said, at }: Facts): Verdict | undefined {
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

/** OpenRouter answers with status 403. */
const FLAGGED = /requires moderation on .{0,80}\bflagged\b/is;

export function ofContentFilter({ body, said, at }: Facts): Verdict | undefined {
  const isFiltered =
    hasCode(body, 'content_filter', 'content_policy_violation', 'responsibleaipolicyviolation') ||
    FLAGGED.test(body.text);
  if (!isFiltered) return undefined;
  return {
    code: 'provider_content_filter',
    message: `${at} refused the request because of its content policy.${said}`,
  };
}
