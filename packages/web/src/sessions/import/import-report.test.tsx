// @vitest-environment happy-dom
import { LonghaulError } from '@longhaul/protocol';
import type { ImportResult } from '@longhaul/protocol/api';
import { act, cleanup, render, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { silentServer } from '../../data/shown-session.fixture.tsx';
import { ImportReport } from './import-report.tsx';
import { describeOutcomes, type ImportedFile, Imports } from './imports.ts';
import { ImportsContext } from './use-imports.ts';

afterEach(cleanup);

const failed: ImportedFile = { name: 'a', outcome: { kind: 'failed', problem: 'It is no session.' } };
const imported: ImportedFile = { name: 'b', outcome: { kind: 'imported', result: {} as ImportResult } };

it.each([
  [[failed], '0 of 1 file imported.'],
  [[failed, imported], '1 of 2 files imported.'],
  [[imported], '1 file imported.'],
])('counts what was imported', (files, words) => {
  expect(describeOutcomes(files)).toBe(words);
});

function goTo(hash: string): void {
  location.hash = hash;
  dispatchEvent(new Event('hashchange'));
}

it('closes when the address changes, but not before the outcome of a running import was shown', async () => {
  const { client } = silentServer();
  const answer = Promise.withResolvers<ImportResult>();
  const send = vi.spyOn(client.sessions, 'import').mockReturnValue(answer.promise);
  const imports = new Imports(client, () => undefined);
  render(
    <ImportsContext value={imports}>
      <ImportReport />
    </ImportsContext>,
  );
  act(() => imports.add([new File(['{'], 'bad.json')]));
  await waitFor(() => expect(send).toHaveBeenCalledTimes(1));
  act(() => goTo('#/inbox'));
  await screen.findByText('Importing bad.json…');
  await act(async () => answer.reject(new LonghaulError('invalid_request', 'It is no session.')));
  await screen.findByText('0 of 1 file imported.');
  act(() => goTo('#/settings'));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});
