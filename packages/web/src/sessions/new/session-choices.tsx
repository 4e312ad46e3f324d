import './new-session.css';
import { useCallback } from 'react';
import { useServer } from '../../data/server.ts';
import { type Reading, useRead } from '../../data/use-read.ts';
import type { SessionChoice } from './first-message.ts';
import { FolderChoice } from './folder-choice.tsx';

/** The folder, the agent and the model of a new session. What is not chosen is the server's default, which is shown. */
export function SessionChoices({
  choice,
  onChange,
}: {
  choice: SessionChoice;
  onChange: (choice: SessionChoice) => void;
}) {
  const { client } = useServer();
  const models = useRead(useCallback((signal) => client.models({ signal }), [client]));
  const agents = useRead(useCallback((signal) => client.agents({ signal }), [client]));
  const named = agents.value?.agents ?? [];
  const defaultAgent = named.find(({ isDefault }) => isDefault)?.name;
  const agent = named.find(({ name }) => name === (choice.agent || defaultAgent));
  const defaultModel = agent?.model ?? models.value?.default;
  return (
    <fieldset className="session-choices">
      <legend className="only-read">Where and with what the session works</legend>
      <FolderChoice folder={choice.workspace} onChange={(workspace) => onChange({ ...choice, workspace })} />
      <Choice
        label="Agent"
        value={choice.agent}
        byDefault={defaultAgent}
        reading={agents}
        names={named.map(({ name }) => name)}
        onChange={(name) => onChange({ ...choice, agent: name })}
      />
      {agent?.description !== undefined && <p className="quiet session-choice-words">{agent.description}</p>}
      <Choice
        label="Model"
        value={choice.model}
        byDefault={defaultModel}
        reading={models}
        names={(models.value?.models ?? []).map(({ name }) => name)}
        onChange={(model) => onChange({ ...choice, model })}
      />
    </fieldset>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  byDefault: string | undefined;
  reading: Pick<Reading<unknown>, 'problem'>;
  names: readonly string[];
  onChange: (name: string) => void;
}

function Choice({ label, value, byDefault, reading, names, onChange }: ChoiceProps) {
  const all = value === '' || names.includes(value) ? names : [value, ...names];
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">{byDefault === undefined ? 'Default' : `Default: ${byDefault}`}</option>
        {all.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      {reading.problem !== undefined && <small className="warn">{reading.problem}</small>}
    </label>
  );
}
