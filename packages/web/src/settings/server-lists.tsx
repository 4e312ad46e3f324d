import { shownModel } from '@longhaul/protocol';
import type { AgentList, Models, ProviderList } from '@longhaul/protocol/api';
import { formatTokens, plural } from '../ui/format.ts';
import { SettingTable } from './setting-table.tsx';

export function AgentTable({ agents }: { agents: AgentList['agents'] }) {
  return (
    <SettingTable
      label="Agents"
      heads={['Agent', 'Model', 'Tools']}
      rows={agents.map(({ name, description, model, tools, isDefault, hasPrompt }) => ({
        key: name,
        cells: [
          <>
            <code>{shownModel(name)}</code> {isDefault && <span className="quiet">default</span>}
            {description !== undefined && <p>{description}</p>}
            {hasPrompt && <p className="quiet">With a system prompt of its own</p>}
          </>,
          model ?? <span className="quiet">that of the session</span>,
          tools.join(', '),
        ],
      }))}
    />
  );
}

const WINDOW_FROM: Record<NonNullable<Models['models'][number]['windowFrom']>, string> = {
  configuration: 'configuration file',
  catalogue: 'built-in catalogue',
  server: 'its server',
};

export function ModelTable({
  models,
  byDefault,
}: {
  models: Models['models'];
  byDefault: string | undefined;
}) {
  return (
    <SettingTable
      label="Models"
      heads={['Model', 'Window', 'Longest answer', 'The window comes from']}
      rows={models.map((model) => {
        const { name, windowTokens, maxOutputTokens, windowFrom, problem } = model;
        return {
          key: name,
          cells: [
            <>
              <code>{name}</code> {name === byDefault && <span className="quiet">default</span>}
              {problem !== undefined && <p className="warn">{problem}</p>}
            </>,
            windowTokens === undefined ? 'not known' : formatTokens(windowTokens),
            maxOutputTokens === undefined ? '' : formatTokens(maxOutputTokens),
            windowTokens === undefined ? '' : windowFrom === undefined ? '' : WINDOW_FROM[windowFrom],
          ],
        };
      })}
    />
  );
}

export function ProviderTable({
  providers,
  models,
}: {
  providers: ProviderList['providers'];
  /** Undefined: not read yet. */
  models: Models['models'] | undefined;
}) {
  return (
    <SettingTable
      label="Providers"
      heads={['Provider', 'Key']}
      rows={providers.map(({ name, isConfigured, address, problem, ...key }) => ({
        key: name,
        cells: [
          <>
            <code>{name}</code> {isConfigured && <span className="quiet">configured</span>}
            {problem !== undefined && <p className="warn">{problem}</p>}
            {address !== undefined && <p className="quiet">{describeLocal(name, address, models)}</p>}
          </>,
          describeKey(key),
        ],
      }))}
    />
  );
}

function describeLocal(provider: string, address: string, models: Models['models'] | undefined): string {
  const place = `On the machine of the server, at ${address}`;
  if (models === undefined) return place;
  const found = models.filter((model) => model.provider === provider && model.source === 'server').length;
  return `${place}: ${found === 0 ? 'no models found' : plural(found, 'model')}`;
}

/** Whether there is a key and where it comes from. Keys themselves are never sent to the page. */
export function describeKey({
  hasKey,
  needsKey,
  keyFrom,
  variables,
}: Pick<ProviderList['providers'][number], 'hasKey' | 'needsKey' | 'keyFrom' | 'variables'>): string {
  if (hasKey) return keyFrom === undefined ? 'present' : `from the variable ${keyFrom}`;
  if (!needsKey) return 'needs none';
  return variables.length === 0 ? 'missing' : `missing: set ${variables.join(' or ')}`;
}
