import type { GatewayPageState, PageModel } from '@longhaul/protocol/gateway-page';
import { SettingField } from '../settings/setting-field.tsx';
import type { GatewayServer } from './gateway-server.ts';
import { NotStoredText, PlacesText } from './place-text.tsx';
import { Section } from './section.tsx';
import { ShareField } from './share-field.tsx';
import { useSave } from './use-save.tsx';

/** Which model writes summaries, and when a conversation is compacted. */
export function GatewaySettings({ state, server }: { state: GatewayPageState; server: GatewayServer }) {
  const { settings } = state;
  const { places } = settings;
  const { result, save } = useSave(server);
  return (
    <Section title="Settings">
      <div className="card settings">
        <CompactorField state={state} onSave={(name, words) => save({ compactor: name }, words)} />
        <ShareField
          label="Compact a request at"
          words={
            <>
              Percent of the window that the request and the room for its answer may take.{' '}
              <NotStoredText place={places.inputThreshold} />
            </>
          }
          share={settings.inputThreshold}
          onSave={(inputThreshold) =>
            save({ inputThreshold }, `Compact a request at ${Math.round(inputThreshold * 100)} %`)
          }
        />
        <ShareField
          label="Continue a stream at"
          words={
            <>
              Percent of the window at which a running answer is stopped, and continued in a compacted
              request. <NotStoredText place={places.warningThreshold} />
            </>
          }
          share={settings.warningThreshold}
          onSave={(warningThreshold) =>
            save({ warningThreshold }, `Continue a stream at ${Math.round(warningThreshold * 100)} %`)
          }
        />
        {result}
        <p className="quiet">
          Changes apply to requests that arrive from now on.{' '}
          <PlacesText places={[places.compactor, places.inputThreshold, places.warningThreshold]} />
        </p>
      </div>
    </Section>
  );
}

const FIXED = [
  ['__same__', 'Same as current model'],
  ['none', 'Nobody: facts only'],
] as const;

function CompactorField({
  state: { settings, upstreams, models },
  onSave,
}: {
  state: GatewayPageState;
  onSave: (name: string, words: string) => void;
}) {
  const { compactor, places } = settings;
  const groups = upstreams.map(({ name }) => ({
    name,
    models: models.filter((model) => model.upstream === name && canBeChosen(model)),
  }));
  const isListed =
    FIXED.some(([value]) => value === compactor) ||
    models.some((model) => `${model.upstream}/${model.model}` === compactor && canBeChosen(model));
  return (
    <SettingField
      label="Context pruning agent"
      words={
        <>
          The model that selects and summarises what leaves the context.{' '}
          <NotStoredText place={places.compactor} />
        </>
      }
    >
      {(ids) => (
        <select
          {...ids}
          value={compactor}
          onChange={({ target: { value, selectedOptions } }) =>
            onSave(value, `Context pruning agent: ${selectedOptions[0]?.textContent ?? value}`)
          }
        >
          {FIXED.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
          {!isListed && <option value={compactor}>{compactor} (not listed)</option>}
          {groups.map((group) => (
            <optgroup key={group.name} label={group.name}>
              {group.models.map(({ model }) => (
                <option key={model} value={`${group.name}/${model}`}>
                  {model}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      )}
    </SettingField>
  );
}

/** A name with spaces cannot be stored, and the gateway refuses a model that its server does not list. */
function canBeChosen({ model, isListed }: PageModel): boolean {
  return isListed && /^\S+$/.test(model);
}
