import type { AgentList } from '@longhaul/protocol/api';
import { pruningAgentOf, SAME_AGENT } from './pruning-agent.ts';
import { SettingField } from './setting-field.tsx';
import type { EditedSettings } from './use-settings.ts';

/** Which agent or model works on the context. */
export function PruningAgentSetting({
  edited: { settings, save },
  agents,
  models,
}: {
  edited: EditedSettings;
  agents: AgentList['agents'];
  models: readonly string[];
}) {
  const chosen = settings === undefined ? undefined : pruningAgentOf(settings);
  if (chosen === undefined) return null;
  const { id, model, notice } = chosen;
  const isListed =
    id === SAME_AGENT || id === 'none' || models.includes(id) || agents.some(({ name }) => name === id);
  return (
    <>
      <SettingField
        label="Context Pruning Agent"
        words={`It selects and summarises what leaves the context.${model === undefined ? '' : ` Its model is ${model}.`}`}
      >
        {(ids) => (
          <select
            {...ids}
            value={id}
            onChange={({ target: { value, selectedOptions } }) => {
              const body = { pruningAgentId: value };
              void save(body, `Context Pruning Agent: ${selectedOptions[0]?.textContent ?? value}`);
            }}
          >
            <option value={SAME_AGENT}>Same as current agent</option>
            <option value="none">Nobody: facts only</option>
            {!isListed && <option value={id}>{id} (not available)</option>}
            <optgroup label="Agents">
              {agents.map(({ name }) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </optgroup>
            <optgroup label="Models">
              {models.map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </optgroup>
          </select>
        )}
      </SettingField>
      {notice !== undefined && (
        <p role="alert" className="warn">
          {notice}
        </p>
      )}
    </>
  );
}
