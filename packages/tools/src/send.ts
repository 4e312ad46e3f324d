import type { Contact, Tool, ToolContext, ToolResult } from '@longhaul/core';
import { cutLine } from '@longhaul/core/tool-output';
import { visibleLine } from '@longhaul/protocol';
import { SEND_DIALECT } from './dialect/command-dialects.ts';
import { parseInput } from './input-parser.ts';
import { failedResult, reportRefusals, textResult } from './tool-result.ts';

export interface SendInput {
  session?: string | undefined;
  message?: string | undefined;
}

const MAX_MESSAGE_CHARS = 20_000;

/** Creates the tool that writes to other sessions. It is for agents that may talk to some. */
export function createSendTool(): Tool<SendInput> {
  return {
    name: 'send',
    aliases: SEND_DIALECT.names,
    isReadOnly: true,
    isRepeatable: true,
    // The number of messages in a turn is limited.
    runsAlone: true,
    schema: {
      name: 'send',
      description:
        'Send a message to another session, which works on a task of its own. It sees only this message, and that it is from you. It may answer with a message of its own, which you get like a message of the user: do not wait for it. Without a message, lists the sessions you can write to.',
      parameters: {
        type: 'object',
        properties: {
          session: { type: 'string', description: 'its id or title' },
          message: { type: 'string' },
        },
      },
    },
    parse: (value) =>
      parseInput(value, SEND_DIALECT, (fields) => {
        const message = fields.optionalText('message');
        const session = fields.optionalText('session')?.trim() || undefined;
        if (message !== undefined && session === undefined)
          fields.problem('session is missing: name the session that gets the message.');
        if (message !== undefined && message.length > MAX_MESSAGE_CHARS)
          fields.problem(
            `message has ${message.length} characters, and may have ${MAX_MESSAGE_CHARS}. Name a file instead.`,
          );
        return { session, message };
      }),
    execute: (input, context) => reportRefusals(() => execute(input, context)),
  };
}

async function execute({ session, message }: SendInput, context: ToolContext): Promise<ToolResult> {
  const { contacts, handle } = context;
  if (contacts === undefined) return failedResult('This session may write to no other session.');
  if (session === undefined || message === undefined) {
    const found = await contacts.list();
    if (found.length === 0) return textResult('There is no session that you can write to now.');
    return textResult(found.map(lineOf).join('\n'), { title: `${found.length} sessions` });
  }
  const sent = await contacts.send({ name: session, handle }, message);
  if (!sent.isSent) return failedResult(sent.reason);
  const { contact, position } = sent;
  const when = contact.isWorking ? 'before its next step' : 'when its next run begins';
  return textResult(
    `Sent to ${nameOf(contact)}, position ${position} of its queue. It gets the message ${when}.`,
    {
      title: cutLine(`to ${nameOf(contact)}`, 80),
      metadata: { sentTo: contact.id },
    },
  );
}

function lineOf(contact: Contact): string {
  const { id, agent, isWorking, workspace } = contact;
  const place = workspace === undefined ? '' : `, in ${visibleLine(workspace)}`;
  return `- ${id} ${nameOf(contact)}: agent ${visibleLine(agent)}, ${isWorking ? 'working' : 'idle'}${place}`;
}

function nameOf({ title }: Contact): string {
  return `"${cutLine(visibleLine(title), 80)}"`;
}
