import type { ErrorBody } from './error-body.ts';
import { readOutputRefusal } from './output-limit.ts';
import { type Overflow, readOverflow } from './overflow-patterns.ts';
import { adviceWithoutTools, saysNoTools } from './tool-refusal.ts';
import {
  type Facts,
  hasCode,
  isClientError,
  isServerError,
  type ProviderFailure,
  type Verdict,
} from './verdict.ts';

// Refusals because of what a request contains or names.

/** Groq: the request was fine, and the model wrote a call that cannot be read. Another answer may be better. */
export function ofUnreadCall({ failure, body, said, at }: Facts): Verdict | undefined {
  if (!hasCode(body, 'tool_use_failed')) return undefined;
  const message = `${at} could not read a tool call that ${failure.model} wrote.${said}`;
  return { code: 'provider_bad_response', message };
}

/** The field for the length of an answer is wrong, or its value. */
export function ofAnswerLength({ failure, body, said, at }: Facts): Verdict | undefined {
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

export function ofOverflow({ failure, body, said, at }: Facts): Verdict | undefined {
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

export function ofMissingAbility({ failure, body, said, at }: Facts): Verdict | undefined {
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

/** Ollama: `model 'x' not found`. Inside a stream, and in a body with status 200, only the text says so. */
const NO_SUCH_MODEL = /\bmodel ['"`][^'"`]{1,200}['"`] (?:was |is )?(?:not found|does not exist)\b/i;

export function ofMissingModel({ failure, body, said, at }: Facts): Verdict | undefined {
  const isMissing =
    failure.status === 404 ||
    hasCode(body, 'model_not_found', 'not_found_error', 'model_not_exist') ||
    (!isServerError(failure.status) && NO_SUCH_MODEL.test(body.text));
  if (!isMissing) return undefined;
  const { operation } = failure;
  if (operation !== undefined && !namesModel(failure, body)) {
    const message = `${at} does not have the operation ${operation}, or not for ${failure.model}.${said}`;
    return { code: 'provider_bad_request', message };
  }
  if (NO_SUCH_PATH.test(body.text)) {
    const message = `${at} has nothing at this address. Check the base URL: that of an OpenAI-compatible server usually ends in /v1.${said}`;
    return { code: 'provider_bad_request', message };
  }
  if (NO_SUCH_ITEM.test(body.text)) {
    const message = `${at} no longer has a part of the conversation that the request refers to.${said}`;
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

/** Whether the refusal says that it is about the model. */
function namesModel({ model }: ProviderFailure, body: ErrorBody): boolean {
  return hasCode(body, 'model_not_found', 'model_not_exist') || (model !== '' && body.text.includes(model));
}
