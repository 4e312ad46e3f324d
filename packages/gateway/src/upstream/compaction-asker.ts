import type { SummaryReply } from '@longhaul/context';
import type { AskCompactionModel, CompactionAsk } from '../compaction/types.ts';
import { readBody } from '../http/read-body.ts';
import { fitCalls } from '../mending/fit-calls.ts';
import { definedNames } from '../mending/tool-names.ts';
import { isRecord } from '../wire/is-record.ts';
import { withoutLoneSurrogates } from '../wire/lone-surrogates.ts';
import type { Router } from './router.ts';
import type { Upstream } from './upstream.ts';

/** A summary has some kilobytes. */
const MAX_ANSWER_BYTES = 8 << 20;

export interface CompactionAskerOptions {
  upstream: Upstream;
  router: Router;
  /** The request's own model compacts, at its own upstream. */
  isSame: boolean;
  /** Used for `upstream` only, since the client's key must not reach another one. */
  keyFor: (upstream: Upstream) => string | undefined;
}

/**
 * Returns a function that queries the compacting model over the upstream's connections. Tool calls in its answer are
 * ignored.
 */
export function compactionAsker({
  upstream,
  router,
  isSame,
  keyFor,
}: CompactionAskerOptions): AskCompactionModel {
  return async (ask) => {
    const route = isSame ? { upstream, model: ask.model } : router.routeNamed(ask.model);
    const key = route.upstream === upstream ? keyFor(upstream) : route.upstream.apiKey;
    const answer = await route.upstream.send({
      method: 'POST',
      path: '/chat/completions',
      headers: [
        ...['Content-Type', 'application/json', 'Accept', 'application/json'],
        ...(key === undefined ? [] : ['Authorization', `Bearer ${key}`]),
      ],
      body: withoutLoneSurrogates(Buffer.from(JSON.stringify(bodyOf(ask, route.model)))),
      signal: ask.signal,
    });
    const text = (await readBody(answer, MAX_ANSWER_BYTES).finally(() => answer.destroy())).toString('utf8');
    if (answer.statusCode === 200) return readReply(text);
    const error = route.upstream.explain(
      undefined,
      { model: route.model },
      { status: answer.statusCode ?? 502, body: text },
    );
    return { status: 'failed', reason: error.message };
  };
}

function bodyOf({ messages, tools, maxTokens }: CompactionAsk, model: string): object {
  const fitted = fitCalls(messages, { defined: definedNames({ tools }) });
  return { model, messages: fitted, tools, max_tokens: maxTokens, stream: false };
}

function readReply(text: string): SummaryReply {
  const choice = firstChoice(text);
  if (choice === undefined)
    return { status: 'failed', reason: 'the compacting model sent an unreadable answer' };
  const message = isRecord(choice['message']) ? choice['message'] : {};
  const content = message['content'];
  const finish = choice['finish_reason'];
  return {
    status: 'ok',
    text: typeof content === 'string' ? content : '',
    finishedBy: finish === 'stop' || finish === 'length' ? finish : 'other',
  };
}

function firstChoice(text: string): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(text);
    const choices = isRecord(json) ? json['choices'] : undefined;
    const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
    return isRecord(choice) ? choice : undefined;
  } catch {
    return undefined;
  }
}
