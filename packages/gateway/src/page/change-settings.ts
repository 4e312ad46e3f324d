import { LonghaulError } from '@longhaul/protocol';
import type { PageSettingsChange } from '@longhaul/protocol/gateway-page';
import type { GatewayCore } from '../gateway-core.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { SettingsKeeper } from './page-options.ts';
import type { ServerLists } from './server-lists.ts';

/**
 * Stores a change of the settings, and lets it take effect for all later requests.
 *
 * @throws {LonghaulError} `invalid_request` for values that are not valid; errors of the keeper. Nothing has then
 * changed.
 */
export async function changeSettings(
  core: GatewayCore,
  body: unknown,
  { keeper, lists }: { keeper: SettingsKeeper | undefined; lists: ServerLists },
): Promise<void> {
  const change = await parsed(body);
  const compaction = switchesOf(core, change);
  const settings = [...compaction].map(([upstream, isOn]) => [upstream.name, upstream.settingWhen(isOn)]);
  if (change.compactor !== undefined) await checkCompactor(change.compactor, lists);
  await keeper?.store({
    ...change,
    compaction: compaction.size === 0 ? undefined : Object.fromEntries(settings),
  });
  for (const [upstream, isOn] of compaction) upstream.compacts = isOn;
  const { compaction: _, ...values } = change;
  core.changeSettings(values);
  core.log({ level: 'info', message: `Settings changed on the page: ${Object.keys(change).join(', ')}.` });
}

async function parsed(body: unknown): Promise<PageSettingsChange> {
  const { pageSettingsChangeSchema } = await import('@longhaul/protocol/gateway-page');
  const result = pageSettingsChangeSchema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const place = issue?.path.map(String).join('.') ?? '';
  throw invalid(`The settings are not valid${place === '' ? '' : ` at ${place}`}: ${issue?.message}.`);
}

function switchesOf(
  { router }: GatewayCore,
  { compaction = {} }: PageSettingsChange,
): Map<Upstream, boolean> {
  const switches = Object.entries(compaction).map(([name, isOn]) => {
    const upstream = router.upstreams.find((each) => each.name === name);
    if (upstream === undefined) throw invalid(`There is no upstream ${JSON.stringify(name)}.`);
    return [upstream, isOn] as const;
  });
  return new Map(switches);
}

/** A name that its server does not list is probably a mistake, which would cost every summary. */
async function checkCompactor(name: string, lists: ServerLists): Promise<void> {
  if (name === '__same__' || name === 'none') return;
  if (!/^[^/\s]+\/\S+$/.test(name))
    throw invalid(
      'The compactor must be __same__, none, or the name of an upstream and of a model: UPSTREAM/MODEL.',
    );
  if ((await lists.lists(name)) === false)
    throw invalid(`No upstream lists the model ${JSON.stringify(name)}. Choose one of the listed models.`);
}

function invalid(message: string): LonghaulError {
  return new LonghaulError('invalid_request', message);
}
