/**
 * Writes packages/models/src/catalogue/data: models.json and its LICENSE, from the list of models in @earendil-works/pi-ai,
 * a development dependency: `npm install --save-dev --save-exact @earendil-works/pi-ai@VERSION`, then this script.
 *
 * node --conditions=longhaul-src scripts/catalogue.ts
 */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type CatalogueEntry, HOSTED_PROVIDERS, REASONING_EFFORTS } from '@longhaul/models';
import * as z from 'zod';
import { licenceNotice } from './licence-notice.ts';

const DATA = new URL('../packages/models/src/catalogue/data/', import.meta.url);
const PACKAGE = new URL('../node_modules/@earendil-works/pi-ai/', import.meta.url);

const rates = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
});
const publicModel = z.object({
  id: z.string(),
  reasoning: z.boolean().optional(),
  input: z.array(z.string()),
  cost: rates.extend({ tiers: z.array(rates.extend({ inputTokensAbove: z.int() })).optional() }),
  contextWindow: z.int(),
  maxTokens: z.int().optional(),
  /** The provider's name of each effort; null where the model has none. `off` is the effort `none`. */
  thinkingLevelMap: z.record(z.string(), z.string().nullable()).optional(),
});

/** A model of the public list, with the fields that the catalogue uses. */
export type PublicModel = z.infer<typeof publicModel>;

type Facts = Omit<CatalogueEntry, 'provider' | 'model'>;

/** Returns what the catalogue says about a model of the public list; undefined if it is not a model for text. */
export function factsOf(provider: string, model: PublicModel): Facts | undefined {
  const { contextWindow, maxTokens = 0, reasoning, cost, input } = model;
  if (contextWindow <= 0 || !input.includes('text')) return undefined;
  // A list that gives the whole window as the longest answer does not know the longest answer.
  const maxOutputTokens = maxTokens > 0 && maxTokens < contextWindow ? maxTokens : undefined;
  // OpenAI's large windows include the room for the longest answer.
  const isSplit = provider === 'openai' && reasoning === true && contextWindow >= 400_000;
  const images = input.includes('image');
  return {
    windowTokens: contextWindow,
    maxInputTokens: isSplit ? contextWindow - maxTokens : undefined,
    maxOutputTokens,
    price: priceOf(model.id, cost),
    accepts: { images, files: images && acceptsFiles(provider, model) },
    reasoning,
    efforts: effortsOf(provider, model),
  };
}

/** Of other providers, the list does not say which efforts are missing, or their API has none. */
function effortsOf(provider: string, { thinkingLevelMap: names }: PublicModel): Facts['efforts'] {
  if (names === undefined || (provider !== 'openai' && provider !== 'google')) return undefined;
  return REASONING_EFFORTS.filter((effort) => typeof names[effort === 'none' ? 'off' : effort] === 'string');
}

/** PDF files: Claude, Gemini, and OpenAI's reasoning models. */
function acceptsFiles(provider: string, { id, reasoning }: PublicModel): boolean {
  if (provider === 'anthropic') return true;
  return provider === 'google' ? id.startsWith('gemini-') : provider === 'openai' && reasoning === true;
}

function priceOf(id: string, cost: PublicModel['cost']): Facts['price'] {
  const isFree = cost.input === 0 && cost.output === 0;
  // The list has zeros where it has no price. OpenRouter's free models are named so.
  if (isFree && !id.endsWith(':free')) return undefined;
  // Of several tiers, the highest price counts from the first on, so that no cost is too low.
  const [first, last] = [cost.tiers?.[0], cost.tiers?.at(-1)];
  const long = first && last && { aboveTokens: first.inputTokensAbove, ...ratesOf(last) };
  return { ...ratesOf(cost), long };
}

/** The list has zeros for unknown prices of the cache. */
function ratesOf({ input, output, cacheRead, cacheWrite }: z.infer<typeof rates>) {
  return { input, output, cacheRead: cacheRead || undefined, cacheWrite: cacheWrite || undefined };
}

async function readList(provider: string): Promise<PublicModel[]> {
  const text = await readFile(new URL(`dist/providers/data/${provider}.json`, PACKAGE), 'utf8');
  const byApi = z.record(z.string(), z.record(z.string(), z.unknown())).parse(JSON.parse(text));
  // Models for images and classifiers have other names.
  return Object.values(byApi).flatMap((models) =>
    Object.entries(models).flatMap(([key, model]) =>
      key.startsWith('chat:') ? [publicModel.parse(model)] : [],
    ),
  );
}

/** One model on each line, in the order of names, so that a change of the list is easy to read. */
function dataText(head: object, models: Record<string, Record<string, Facts>>): string {
  const providers = Object.entries(models).map(([provider, entries]) => {
    const lines = Object.entries(entries).map(
      ([name, facts]) => `${JSON.stringify(name)}:${JSON.stringify(facts)}`,
    );
    return `${JSON.stringify(provider)}:{\n${lines.join(',\n')}\n}`;
  });
  return `${JSON.stringify(head).slice(0, -1)},"models":{\n${providers.join(',\n')}\n}}\n`;
}

async function write(): Promise<void> {
  const { name, version } = z
    .object({ name: z.string(), version: z.string() })
    .parse(JSON.parse(await readFile(new URL('package.json', PACKAGE), 'utf8')));
  const { generatedAt } = z
    .object({ generatedAt: z.string() })
    .parse(JSON.parse(await readFile(new URL('dist/providers/data/.manifest.json', PACKAGE), 'utf8')));
  const models: Record<string, Record<string, Facts>> = {};
  for (const provider of Object.keys(HOSTED_PROVIDERS)) {
    const known = (await readList(provider)).sort((left, right) => (left.id < right.id ? -1 : 1));
    models[provider] = Object.fromEntries(
      known.flatMap((model) => {
        const facts = factsOf(provider, model);
        return facts ? [[model.id, facts]] : [];
      }),
    );
  }
  await writeFile(new URL('LICENSE', DATA), await licenceNotice(fileURLToPath(PACKAGE)));
  await writeFile(
    new URL('models.json', DATA),
    dataText({ source: `${name} ${version}`, date: generatedAt.slice(0, 10) }, models),
  );
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await write();
