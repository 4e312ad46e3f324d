import { STATUS_CODES } from 'node:http';
import { type ErrorCode, type JsonObject, LonghaulError, shownModel } from '@longhaul/protocol';
import { excerptOf } from '../secrets.ts';
import {
  ofAuthentication,
  ofContentFilter,
  ofFirewall,
  ofPlace,
  ofQuota,
  ofRateLimit,
  ofTokenBudget,
} from './access-rules.ts';
import { readContentRefusal } from './content-refusal.ts';
import { type ErrorBody, readErrorBody } from './error-body.ts';
import {
  ofAnswerLength,
  ofMissingAbility,
  ofMissingModel,
  ofOverflow,
  ofUnreadCall,
} from './request-rules.ts';
import { readRetryAfterMs } from './retry-after.ts';
import { ofHtml, ofNetwork, ofOverload, otherwise } from './server-rules.ts';
import { type Facts, isInside, type ProviderFailure, type Verdict } from './verdict.ts';

/**
 * Maps any failure of a provider to one error with one code. This is the only place where message text decides
 * anything. Types and codes are checked first, then text. A rate limit is never an overflow.
 *
 * `data` has `provider`, `model` and, if known, `status`, `windowTokens` and `requestTokens` (of `context_overflow`),
 * `retryAfterMs`, `reasoning` if the refusal is about the reasoning of earlier answers, and `content` if it is or may
 * be about other content of the request. The message has no secret, and at most a few hundred characters of the
 * provider's text.
 */
export function mapProviderError(failure: ProviderFailure): LonghaulError {
  const body = readErrorBody(failure.body, failure.message);
  const facts: Facts = { failure, body, said: quote(body, failure.secrets), at: address(failure) };
  const verdict = judge(facts);
  const data: JsonObject = { provider: failure.provider, model: failure.model, ...verdict.data };
  if (failure.status !== undefined) data['status'] = failure.status;
  if (MAY_BE_CONTENT.has(verdict.code) && data['reasoning'] === undefined) {
    const isAboutMedia = verdict.code === 'input_unsupported';
    const content = readContentRefusal({ status: failure.status, isAboutMedia }, body);
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

/** What a client library says about an answer without a body. */
const STATUS_TEXTS: ReadonlySet<string | undefined> = new Set(Object.values(STATUS_CODES));

function quote(body: ErrorBody, secrets: readonly string[] | undefined): string {
  const all = [body.text, body.unread].join('\n').replace(/[^\P{Cc}\n]+/gu, ' ');
  const lines = [...new Set(all.split('\n').map((line) => line.trim()))].filter(
    (line) => line !== '' && !STATUS_TEXTS.has(line),
  );
  const text = excerptOf(lines.join(' '), secrets);
  return text === '' ? '' : ` It said: "${text}"`;
}

function address(failure: ProviderFailure): string {
  const { provider, model, url } = failure;
  if (isInside(failure)) return shownModel(`${provider}/${model}`);
  if (url === undefined || !URL.canParse(url)) return provider;
  // Origin and path only: the query, the user and the password may contain the key.
  const { origin, pathname } = new URL(url);
  return `${provider} (${origin}${pathname})`;
}
