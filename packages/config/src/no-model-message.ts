import { API_KEY_VARIABLES, LOCAL_SERVERS } from '@longhaul/models';

/** Returns the places where a model is looked for if none is configured. */
export function modelPlaces(): string {
  const ports = LOCAL_SERVERS.map((server) => `${server.name} on ${new URL(server.baseUrl).host}`);
  return `${Object.values(API_KEY_VARIABLES).flat().join(', ')} in the environment; keys of longhaul login; ${ports.join(', ')}`;
}

/** Returns the message for a missing model: where it was looked for, and all ways to set one. */
export function noModelMessage(): string {
  return [
    'No model is configured, and none was found.',
    `Looked for: ${modelPlaces()}.`,
    'Do one of these:',
    '  longhaul login anthropic                                      store the key of a provider (or: export ANTHROPIC_API_KEY=…)',
    '  model: anthropic/claude-sonnet-4-5                            name a model in longhaul.yml',
    '  longhaul run --model NAME --base-url URL …                    use any OpenAI-compatible server',
    '  longhaul models list --embedded                               models that run inside Longhaul, without a server',
    '  start LM Studio, Ollama, llama.cpp or vLLM with a model loaded',
    'To see Longhaul work without any model: longhaul demo',
  ].join('\n');
}
