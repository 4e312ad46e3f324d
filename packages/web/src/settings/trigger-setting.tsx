import type { Settings } from '@longhaul/protocol/api';
import { useState } from 'react';
import { SettingField } from './setting-field.tsx';
import { type TriggerKind, triggerKind, triggerOf, triggerPercent } from './trigger-choice.ts';

type Trigger = Settings['compression']['trigger'];

const LABELS: readonly [TriggerKind, string][] = [
  ['default', 'Chosen by the strategy'],
  ['overflow', 'When the usable window is full'],
  ['threshold', 'At a share of the window'],
  ['manual', 'Only by hand'],
];

const FIRST_PERCENT = 80;

/** When an automatic compaction begins. */
export function TriggerSetting({
  trigger,
  origin,
  onSave,
}: {
  trigger: Trigger;
  origin: string | undefined;
  onSave: (trigger: Trigger, words: string) => void;
}) {
  const percent = triggerPercent(trigger);
  return (
    <>
      <SettingField label="Trigger" words="When an automatic compaction begins." origin={origin}>
        {(ids) => (
          <select
            {...ids}
            value={triggerKind(trigger)}
            onChange={({ target }) => {
              const found = LABELS.find(([name]) => name === target.value);
              if (found !== undefined) onSave(triggerOf(found[0], FIRST_PERCENT), `Trigger: ${found[1]}`);
            }}
          >
            {LABELS.map(([name, label]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        )}
      </SettingField>
      {percent !== undefined && (
        <PercentField
          percent={percent}
          onSave={(number) => onSave(triggerOf('threshold', number), `Trigger: ${number} % of the window`)}
        />
      )}
    </>
  );
}

/** It is saved with Enter and by leaving the field. */
function PercentField({ percent, onSave }: { percent: number; onSave: (percent: number) => void }) {
  const [text, setText] = useState(String(percent));
  const [shown, setShown] = useState(percent);
  // It was changed elsewhere, or saved.
  if (shown !== percent) {
    setShown(percent);
    setText(String(percent));
  }
  const number = Number(text);
  const isValid = Number.isInteger(number) && number >= 1 && number <= 100;
  const save = () => {
    if (isValid && number !== percent) onSave(number);
  };
  return (
    <SettingField label="Percent of the window" words="A whole number from 1 to 100.">
      {(ids) => (
        <input
          {...ids}
          type="number"
          min={1}
          max={100}
          value={text}
          aria-invalid={!isValid}
          onChange={({ target }) => setText(target.value)}
          onBlur={save}
          onKeyDown={({ key }) => key === 'Enter' && save()}
        />
      )}
    </SettingField>
  );
}
