import type { ShownConfig } from '@longhaul/protocol/api';
import { useMemo, useState } from 'react';
import { plural } from '../ui/format.ts';
import { configValues, searchValues } from './config-values.ts';
import { SettingTable } from './setting-table.tsx';

/** Every value of the configuration, with where it comes from. */
export function ConfigTable({ report }: { report: ShownConfig }) {
  const [query, setQuery] = useState('');
  const [onlySet, setOnlySet] = useState(false);
  const values = useMemo(() => configValues(report), [report]);
  const found = searchValues(values, query).filter(({ isDefault }) => !onlySet || !isDefault);
  const { sources, ignored } = report;
  return (
    <>
      <p className="quiet">
        {sources.length === 0 ? 'No configuration file was read.' : `Read from: ${sources.join(', ')}`}
      </p>
      {ignored.length > 0 && (
        <ul className="warn">
          {ignored.map(({ key, reason }) => (
            <li key={key}>
              <code>{key}</code> of the project is not used: {reason}
            </li>
          ))}
        </ul>
      )}
      <div className="settings-search">
        <input
          type="search"
          aria-label="Search values"
          placeholder="Search values"
          value={query}
          onChange={({ target }) => setQuery(target.value)}
        />
        <label>
          <input type="checkbox" checked={onlySet} onChange={({ target }) => setOnlySet(target.checked)} />{' '}
          Only those that are set
        </label>
        <span role="status" className="quiet">
          {plural(found.length, 'value')}
        </span>
      </div>
      <SettingTable
        label="Values"
        heads={['Value of', 'Value', 'Comes from']}
        rows={found.map(({ path, value, origin }) => ({
          key: path,
          cells: [<code key="path">{path}</code>, <code key="value">{value}</code>, origin],
        }))}
      />
    </>
  );
}
