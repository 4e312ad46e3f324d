import type { GatewayPageState, PageModel, PageUpstream } from '@longhaul/protocol/gateway-page';
import { useId } from 'react';
import { formatCount, plural } from '../ui/format.ts';
import type { GatewayServer } from './gateway-server.ts';
import { ModelWindowsView } from './model-windows.tsx';
import { NotStoredText, PlacesText } from './place-text.tsx';
import { Section } from './section.tsx';
import { useSave } from './use-save.tsx';

/** The servers of models: whether their requests are compacted, and their models. */
export function Servers({ state, server }: { state: GatewayPageState; server: GatewayServer }) {
  const { upstreams, models, settings } = state;
  return (
    <Section title="Servers and models">
      <ul className="cards">
        {upstreams.map((upstream) => (
          <li key={upstream.name} className="card">
            <ServerCard
              upstream={upstream}
              models={models.filter((model) => model.upstream === upstream.name)}
              server={server}
            />
          </li>
        ))}
      </ul>
      <p className="quiet">
        <NotStoredText place={settings.places.upstreams} />
        <PlacesText places={[settings.places.upstreams]} />
      </p>
    </Section>
  );
}

function ServerCard({
  upstream: { name, baseUrl, compaction, state, problem, listedModels },
  models,
  server,
}: {
  upstream: PageUpstream;
  models: readonly PageModel[];
  server: GatewayServer;
}) {
  const id = useId();
  const { result, save } = useSave(server);
  const listedHere = models.filter(({ isListed }) => isListed).length;
  return (
    <>
      <div className="server-head">
        <h3 id={id}>{name}</h3>
        <label className="switch">
          <input
            type="checkbox"
            role="switch"
            checked={compaction !== false}
            aria-checked={compaction !== false}
            aria-describedby={id}
            onChange={({ target: { checked } }) =>
              save({ compaction: { [name]: checked } }, `Compaction for ${name}: ${checked ? 'on' : 'off'}`)
            }
          />{' '}
          Compact conversations
        </label>
      </div>
      <p className="quiet">
        <span>{baseUrl}</span> ·{' '}
        {state === null ? (
          'not asked yet'
        ) : state === 'answers' ? (
          <span className="good">answers</span>
        ) : null}
        {state === 'failed' && <span className="bad">does not answer</span>}
        {compaction === 'required' && ' · models without a known window are refused'}
        {compaction === false && ' · requests pass unchanged'}
      </p>
      {problem !== null && <p className="bad">{problem}</p>}
      {result}
      {models.length === 0 ? (
        <p className="quiet">{state === 'answers' ? 'It lists no models.' : 'No models are known.'}</p>
      ) : (
        <ul className="models">
          {models.map((model) => (
            <li key={model.model}>
              <ModelView model={model} />
            </li>
          ))}
        </ul>
      )}
      {listedHere < listedModels && (
        <p className="quiet">
          {formatCount(listedModels - listedHere)} more models are listed by the server.
        </p>
      )}
    </>
  );
}

function ModelView({
  model: { model, windows, isListed, requests, compactions, tokensSaved },
}: {
  model: PageModel;
}) {
  return (
    <>
      <h4>{model === '' ? '(no model named)' : model}</h4>
      <ModelWindowsView windows={windows} />
      {requests > 0 && (
        <p className="quiet">
          {plural(requests, 'request')}, {plural(compactions, 'compaction')}, {plural(tokensSaved, 'token')}{' '}
          saved
          {!isListed && ' · not listed by the server'}
        </p>
      )}
    </>
  );
}
