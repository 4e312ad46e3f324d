import type { ToolPart } from '@longhaul/protocol';
import { useSessionState } from '../../data/use-session.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { formatDuration } from '../../ui/format.ts';
import { AnsiText } from './ansi-text.tsx';
import { MediaParts, outputText } from './output-parts.tsx';
import { TextOutput } from './text-output.tsx';
import { commandOf, numberField, textField } from './tool-kind.ts';

/** A shell command, its last lines while it runs, its output, and how it ended. */
export function CommandView({ part }: { part: ToolPart }) {
  const lines = useSessionState((state) => state.progress.get(part.callId)?.lines);
  const command = commandOf(part);
  // The error of a command is its output.
  const output = (outputText(part) || (part.error ?? '')).replace(/\n?\[exit code -?\d+\]\s*$/, '');
  const isRunning = part.state === 'running';
  return (
    <>
      <div className="command-line">
        <pre>
          <span aria-hidden>$ </span>
          {command}
        </pre>
        <CopyButton text={command} what="command" />
      </div>
      {isRunning && lines !== undefined && lines.length > 0 && (
        <pre className="tool-output">
          <AnsiText text={lines.join('\n')} />
        </pre>
      )}
      <TextOutput text={output} full={part.fullOutput} />
      <MediaParts part={part} />
      {!isRunning && (
        <p className="tool-note quiet">
          {endingOf(part)}
          {output !== '' && <CopyButton text={output} what="output" />}
        </p>
      )}
    </>
  );
}

/** How a command ended, in words. */
function endingOf({ metadata, state }: ToolPart): string {
  const code = numberField(metadata, 'exitCode');
  const ended = textField(metadata, 'ended');
  const signal = textField(metadata, 'signal');
  const durationMs = numberField(metadata, 'durationMs');
  const took = durationMs === undefined ? '' : ` after ${formatDuration(durationMs)}`;
  if (ended === 'timeout') return `Stopped at the time limit${took}.`;
  if (ended === 'aborted') return `Cancelled${took}.`;
  if (ended === 'failed') return 'The sandbox failed.';
  if (code !== undefined) return `Exit code ${code}${took}.`;
  if (signal !== undefined) return `Killed by ${signal}${took}.`;
  return state === 'completed' ? 'Done.' : '';
}
