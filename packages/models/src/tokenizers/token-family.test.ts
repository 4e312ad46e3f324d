import { describe, expect, it } from 'vitest';
import { detectTokenFamily, tokenFamilyOf } from './token-family.ts';

describe('tokenFamilyOf', () => {
  it.each([
    ['gpt-4o', 'o200k'],
    ['openai/GPT-4o-mini', 'o200k'],
    ['gpt-4.1-nano', 'o200k'],
    ['gpt-5', 'o200k'],
    ['gpt-5.1-codex', 'o200k'],
    ['openai/gpt-oss-20b', 'o200k'],
    ['o3', 'o200k'],
    ['openai/o4-mini', 'o200k'],
    ['o1-preview', 'o200k'],
    ['gpt-4', 'cl100k'],
    ['gpt-4-turbo-2024-04-09', 'cl100k'],
    ['gpt-3.5-turbo', 'cl100k'],
    ['gpt-35-turbo', 'cl100k'],
    ['meta-llama/Llama-3.1-8B-Instruct', 'llama3'],
    ['llama3.2:3b', 'llama3'],
    ['Meta-Llama-3-70B', 'llama3'],
    ['nvidia/Llama-3_1-Nemotron-70B', 'llama3'],
    ['DeepSeek-R1-Distill-Llama-8B', 'llama3'],
    ['llama-2-13b-chat', 'llama2'],
    ['llama2', 'llama2'],
    ['codellama', 'llama2'],
    ['CodeLlama-34b-Instruct-hf', 'llama2'],
    ['llama-7b', 'llama2'],
    ['TinyLlama-1.1B', 'llama2'],
    ['lmsys/vicuna-13b-v1.5', 'llama2'],
    ['phi-3-mini', 'llama2'],
    ['mistralai/Mixtral-8x7B', 'mistral'],
    ['mistral-7b-instruct', 'mistral'],
    ['mistral', 'mistral'],
    ['codestral-22b', 'mistral'],
    ['mistral-nemo', 'tekken'],
    ['mistralai/Devstral-Small-2507', 'tekken'],
    ['mistral-small-latest', 'tekken'],
    ['Ministral-8B', 'tekken'],
    ['qwen2.5-coder', 'qwen'],
    ['Qwen/Qwen3-32B', 'qwen'],
    ['qwq:32b', 'qwen'],
    ['deepseek-r1-distill-qwen-7b', 'qwen'],
  ])('counts %s like %s', (name, family) => {
    expect(detectTokenFamily(name)).toEqual({ family, isKnown: true });
    expect(tokenFamilyOf(name.toUpperCase())).toBe(family);
  });

  it.each([
    'gemma-3-27b',
    'claude-sonnet-4-5',
    'gemini-2.5-pro',
    'deepseek-chat',
    'llama-4-scout',
    'foo3',
    '',
  ])('returns the closest available family for %s', (name) => {
    expect(detectTokenFamily(name)).toEqual({ family: 'o200k', isKnown: false });
  });
});
