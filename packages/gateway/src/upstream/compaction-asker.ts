import type { IncomingMessage } from 'node:http';
import type { SummaryReply } from '@longhaul/context/engine';
import type { AskCompactionModel, CompactionAsk } from '../compaction/types.ts';
import { readBody } from '../http/read-body.ts';
import { fitCalls } from '../mending/fit-calls.ts';
import { definedNames } from '../mending/tool-names.ts';
import { withoutLoneSurrogates } from '../wire/lone-surrogates.ts';
import { isSummaryStream, MAX_SUMMARY_BYTES, readSummary, readWholeSummary } from './read-summary.ts';
import type { Route, Router } from './router.ts';
import type { SharedWindows } from './shared-window.ts';
import type { Upstream } from './upstream.ts';

export interface CompactionAskerOptions {
  upstream: Upstream;
  router: Router;
  sharedWindows: SharedWindows;
  /** The request's own model compacts, at its own upstream. */
  isSame: boolean;
  /** Used for `upstream` only, since the client's key must not reach another one. */
  keyFor: (upstream: Upstream) => string | undefined;
}

/**
 * Returns a function that queries the compacting model over the upstream's connections. The answer is streamed, so that
 * the server stops when nobody waits for it any more. Tool calls in it are ignored.
 */
export function compactionAsker(options: CompactionAskerOptions): AskCompactionModel {
  const { upstream, router, sharedWindows, isSame, keyFor } = options;
  return async (ask) => {
    const route = isSame ? { upstream, model: ask.model } : router.routeNamed(ask.model);
    const key = route.upstream === upstream ? keyFor(upstream) : route.upstream.apiKey;
    // The window belongs to the requests of other clients as well.
    const free = await sharedWindows.enter({
      ...route,
      tokens: ask.promptTokens + ask.maxTokens,
      signal: ask.signal,
      onWait: () => {},
    });
    try {
      return await askAt(ask, route, key);
    } finally {
      free();
    }
  };
}

async function askAt(ask: CompactionAsk, route: AskedWith['route'], key: string | undefined) {
  const takesSchema = ask.schema !== undefined && !route.upstream.refusesSchema;
  const first = await send(ask, { route, key, takesSchema });
  if (!takesSchema || !MAY_REFUSE_SCHEMA.has(first.statusCode ?? 0)) return replyOf(first, route);
  // The reason of a refusal is only known by its text, so the request without a schema decides.
  const refusal = await replyOf(first, route);
  const second = await send(ask, { route, key, takesSchema: false });
  if (second.statusCode !== 200) {
    second.destroy();
    return refusal;
  }
  route.upstream.refusesSchema = true;
  return replyOf(second, route);
}

/** Statuses with which servers refuse a field that they do not know, or a grammar that they cannot build. */
const MAY_REFUSE_SCHEMA: ReadonlySet<number> = new Set([400, 404, 415, 422, 500, 501]);

interface AskedWith {
  route: Pick<Route, 'upstream' | 'model'>;
  key: string | undefined;
  takesSchema: boolean;
}

function send(ask: CompactionAsk, { route, key, takesSchema }: AskedWith): Promise<IncomingMessage> {
  return route.upstream.send({
    method: 'POST',
    path: '/chat/completions',
    headers: [
      ...['Content-Type', 'application/json', 'Accept', 'text/event-stream, application/json'],
      ...(key === undefined ? [] : ['Authorization', `Bearer ${key}`]),
    ],
    body: withoutLoneSurrogates(Buffer.from(JSON.stringify(bodyOf(ask, route.model, takesSchema)))),
    signal: ask.signal,
  });
}

function bodyOf(
  { messages, tools, maxTokens, schema }: CompactionAsk,
  model: string,
  takesSchema: boolean,
): object {
  const fitted = fitCalls(messages, { defined: definedNames({ tools }) });
  const format = { type: 'json_schema', json_schema: { name: 'selection', strict: true, schema } };
  return {
    model,
    messages: fitted,
    tools,
    max_tokens: maxTokens,
    stream: true,
    response_format: takesSchema ? format : undefined,
  };
}

async function replyOf(
  answer: IncomingMessage,
  { upstream, model }: AskedWith['route'],
): Promise<SummaryReply> {
  const failed = (body: string): SummaryReply => {
    const error = upstream.explain(undefined, { model }, { status: answer.statusCode ?? 502, body });
    return { status: 'failed', reason: error.message };
  };
  try {
    if (answer.statusCode === 200 && isSummaryStream(answer)) return await readSummary(answer, failed);
    const text = (await readBody(answer, MAX_SUMMARY_BYTES)).toString('utf8');
    return answer.statusCode === 200 ? readWholeSummary(text) : failed(text);
  } finally {
    answer.destroy();
  }
}
