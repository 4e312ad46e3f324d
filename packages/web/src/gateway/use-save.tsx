import type { PageSettingsChange } from '@longhaul/protocol/gateway-page';
import { type ReactNode, useState } from 'react';
import type { GatewayServer } from './gateway-server.ts';

type Result = { kind: 'saved' | 'failed'; words: string };

/**
 * Saves changes of the settings.
 *
 * @returns What to show of the result, and the function that saves. Its second argument says what was changed.
 */
export function useSave(server: GatewayServer): {
  result: ReactNode;
  save: (change: PageSettingsChange, words: string) => void;
} {
  const [result, setResult] = useState<Result>();
  const save = (change: PageSettingsChange, words: string) => {
    setResult(undefined);
    server.change(change).then(
      () => setResult({ kind: 'saved', words }),
      (error: Error) => setResult({ kind: 'failed', words: error.message }),
    );
  };
  return { save, result: <ResultLine result={result} /> };
}

function ResultLine({ result }: { result: Result | undefined }) {
  return (
    <>
      <p role="status" className="good save-result">
        {result?.kind === 'saved' && `${result.words}.`}
      </p>
      <p role="alert" className="bad save-result">
        {result?.kind === 'failed' && result.words}
      </p>
    </>
  );
}
