import type { ShownConfig } from '@longhaul/protocol/api';
import { STRATEGY_NAMES, type StrategyName } from '@longhaul/protocol/strategy-names';
import { useState } from 'react';
import { describeOrigin, originOf } from './config-values.ts';
import { SettingField } from './setting-field.tsx';
import { type TriggerKind, triggerKind, triggerOf, triggerPercent } from './trigger-choice.ts';
import type { EditedSettings } from './use-settings.ts';

const STRATEGY_WORDS: Record<StrategyName, string> = {
  'reactive-overflow': 'Compacts as late as possible. A model writes the narrative.',
  'proactive-threshold': 'Keeps half of the window empty, for models that become slow with a long context.',
  'structured-summary': 'Writes a summary in six fixed sections.',
  'middle-removal': 'Keeps the beginning and the newest messages, and calls no model.',
  'pruning-agent': 'A model selects the messages that stay.',
  'provider-compaction': 'The provider of the model makes a summary of its own.',
};

const TRIGGER_LABELS: readonly [TriggerKind, string][] = [
  ['default', 'As the strategy says'],
  ['overflow', 'When the usable window is full'],
  ['threshold', 'At a part of the window'],
  ['manual', 'Only by hand'],
];

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
        key={JSON.stringify(trigger)}
        trigger={trigger}
        origin={from('trigger')}
        onSave={(value, words) => void save({ compression: { trigger: value } }, words)}
      />
      <SettingField
        label="Automatic compaction"
        words="Off: a session is compacted only by hand, and a run fails when its window is full."
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

type Trigger = ReturnType<typeof triggerOf>;
const FIRST_PERCENT = 80;

function TriggerSetting({
  trigger,
  origin,
  onSave,
}: {
  trigger: Trigger;
  origin: string | undefined;
  onSave: (trigger: Trigger, words: string) => void;
}) {
  const kind = triggerKind(trigger);
  const [percent, setPercent] = useState(String(triggerPercent(trigger) ?? FIRST_PERCENT));
  const number = Number(percent);
  const isValid = Number.isInteger(number) && number >= 1 && number <= 100;
  const savePercent = () => {
    if (isValid && number !== triggerPercent(trigger))
      onSave(triggerOf('threshold', number), `Trigger: ${number} % of the window`);
  };
  return (
    <>
      <SettingField label="Trigger" words="When an automatic compaction begins." origin={origin}>
        {(ids) => (
          <select
            {...ids}
            value={kind}
            onChange={({ target }) => {
              const found = TRIGGER_LABELS.find(([name]) => name === target.value);
              if (found !== undefined) onSave(triggerOf(found[0], FIRST_PERCENT), `Trigger: ${found[1]}`);
            }}
          >
            {TRIGGER_LABELS.map(([name, label]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        )}
      </SettingField>
      {kind === 'threshold' && (
        <SettingField label="Percent of the window" words="A whole number from 1 to 100.">
          {(ids) => (
            <input
              {...ids}
              type="number"
              min={1}
              max={100}
              value={percent}
              aria-invalid={!isValid}
              onChange={({ target }) => setPercent(target.value)}
              onBlur={savePercent}
              onKeyDown={({ key }) => key === 'Enter' && savePercent()}
            />
          )}
        </SettingField>
      )}
    </>
  );
}
