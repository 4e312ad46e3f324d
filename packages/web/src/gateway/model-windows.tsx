import type { ModelWindows, SourcedWindow } from '@longhaul/protocol/gateway-page';
import { formatCount } from '../ui/format.ts';

const KINDS = [
  ['loaded', 'Loaded'],
  ['learned', 'Learned'],
  ['configured', 'Configured'],
  ['catalogue', 'Catalogue'],
] as const;

/** The window of a model, and what each source says about it. */
export function ModelWindowsView({ windows }: { windows: ModelWindows }) {
  const { used, setting } = windows;
  const known = KINDS.flatMap(([kind, label]) => {
    const window = windows[kind];
    return window === null ? [] : [{ label, window }];
  });
  if (used === null)
    return (
      <p>
        <span className="warn">Window unknown.</span>{' '}
        <span className="quiet">
          Load the model, or set <code>{setting}</code>.
        </span>
      </p>
    );
  return (
    <dl className="windows">
      <div>
        <dt>Window</dt>
        <dd>
          <b>{formatCount(used.windowTokens)}</b>
        </dd>
      </div>
      {known.map(({ label, window }) => (
        <Source
          key={label}
          label={label}
          window={window}
          isUsed={window.windowTokens === used.windowTokens}
        />
      ))}
    </dl>
  );
}

function Source({ label, window, isUsed }: { label: string; window: SourcedWindow; isUsed: boolean }) {
  const { windowTokens, source } = window;
  return (
    <div className={isUsed ? undefined : 'quiet'}>
      <dt>{label}</dt>
      <dd>
        {formatCount(windowTokens)} <small className="quiet">{source}</small>
      </dd>
    </div>
  );
}
