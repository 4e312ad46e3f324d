import type { AgentList, Models, ProviderList } from '@longhaul/protocol/api';
import { formatTokens } from '../ui/format.ts';
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
            <code>{name}</code> {isDefault && <span className="quiet">default</span>}
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

export function ProviderTable({ providers }: { providers: ProviderList['providers'] }) {
  return (
    <SettingTable
      label="Providers"
      heads={['Provider', 'Key']}
      rows={providers.map(({ name, isConfigured, problem, ...key }) => ({
        key: name,
        cells: [
          <>
            <code>{name}</code> {isConfigured && <span className="quiet">configured</span>}
            {problem !== undefined && <p className="warn">{problem}</p>}
          </>,
          describeKey(key),
        ],
      }))}
    />
  );
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
