import type { ShownConfig } from '@longhaul/protocol/api';
import { STRATEGY_NAMES, type StrategyName } from '@longhaul/protocol/strategy-names';
import { describeOrigin, originOf } from './config-values.ts';
import { SettingField } from './setting-field.tsx';
import { TriggerSetting } from './trigger-setting.tsx';
import type { EditedSettings } from './use-settings.ts';

const STRATEGY_WORDS: Record<StrategyName, string> = {
  'reactive-overflow': 'Compacts as late as possible. A model writes the narrative.',
  'proactive-threshold': 'Keeps half of the window empty, for models that become slow with a long context.',
  'structured-summary': 'Writes a summary in six fixed sections.',
  'middle-removal': 'Keeps the beginning and the newest messages, and calls no model.',
  'pruning-agent': 'A model selects the messages that stay.',
  'provider-compaction': 'The provider of the model makes a summary of its own.',
};

const PATH = 'context.compression';

/** When and how sessions are compacted. */
export function CompactionSettings({
  edited: { settings, save },
  origins,
}: {
  edited: EditedSettings;
  origins: ShownConfig['origins'] | undefined;
}) {
  if (settings === undefined) return <p className="quiet">Loading…</p>;
  const { strategy, auto, trigger } = settings.compression;
  const known = STRATEGY_NAMES.find((name) => name === strategy);
  const from = (key: string) =>
    origins === undefined ? undefined : describeOrigin(originOf(`${PATH}.${key}`, origins));
  return (
    <>
      <SettingField
        label="Strategy"
        words={known === undefined ? 'A strategy of the configuration file.' : STRATEGY_WORDS[known]}
        origin={from('strategy')}
      >
        {(ids) => (
          <select
            {...ids}
            value={strategy}
            onChange={({ target }) => {
              const name = STRATEGY_NAMES.find((one) => one === target.value);
              if (name !== undefined) void save({ compression: { strategy: name } }, `Strategy: ${name}`);
            }}
          >
            {known === undefined && <option value={strategy}>{strategy}</option>}
            {STRATEGY_NAMES.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        )}
      </SettingField>
      <TriggerSetting
        trigger={trigger}
        origin={from('trigger')}
        onSave={(value, words) => void save({ compression: { trigger: value } }, words)}
      />
      <SettingField
        label="Automatic compaction"
        words="Off: a session is compacted only if you do it yourself, and a run fails when its window is full."
        origin={from('auto')}
      >
        {(ids) => (
          <input
            {...ids}
            type="checkbox"
            checked={auto}
            onChange={({ target: { checked } }) =>
              void save({ compression: { auto: checked } }, `Automatic compaction: ${checked ? 'on' : 'off'}`)
            }
          />
        )}
      </SettingField>
    </>
  );
}
