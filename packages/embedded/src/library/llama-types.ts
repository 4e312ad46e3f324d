/** The parts of node-llama-cpp that are used here. The package is optional, so its own types may be missing. */
export interface LlamaLibrary {
  getLlama(options: {
    gpu: false | 'auto';
    build: 'never';
    skipDownload: boolean;
    logLevel: 'error';
    progressLogs: boolean;
  }): Promise<Llama>;
  LlamaGrammar: new (llama: Llama, options: { grammar: string }) => LlamaGrammar;
  LlamaGrammarEvaluationState: new (options: { model: LlamaModel; grammar: LlamaGrammar }) => GrammarState;
  resolveModelFile(
    uri: string,
    options: {
      directory: string;
      download?: 'auto' | false;
      verify?: boolean;
      cli: boolean;
      deleteTempFileOnCancel: boolean;
      signal?: AbortSignal | undefined;
      onProgress?(status: { totalSize: number; downloadedSize: number }): void;
    },
  ): Promise<string>;
}

export interface LlamaGrammar {
  readonly grammar: string;
}

export interface GrammarState {
  clone(): GrammarState;
}

export interface Llama {
  readonly gpu: string | false;
  readonly cpuMathCores: number;
  loadModel(options: { modelPath: string }): Promise<LlamaModel>;
  dispose(): Promise<void>;
}

/** The number of a token. The library gives its numbers a type of their own. */
export type Token = number;

export interface LlamaModel {
  readonly trainContextSize: number;
  readonly size: number;
  readonly gpuLayers: number;
  readonly fileInfo: { metadata: Record<string, unknown> };
  readonly fileInsights: {
    estimateContextResourceRequirementsV2(options: {
      contextSize: number;
      modelGpuLayers: number;
      sequences: number;
    }): Promise<{ cpuRam: number; gpuVram: number }>;
  };
  readonly tokens: { readonly bosString: string | null; readonly eosString: string | null };
  tokenize(text: string, specialTokens: boolean): Token[];
  detokenize(tokens: readonly Token[], specialTokens: boolean, lastTokens?: readonly Token[]): string;
  iterateAllTokens(): Generator<Token, void, unknown>;
  isSpecialToken(token: Token): boolean;
  createContext(options: {
    contextSize: number;
    sequences: number;
    threads?: number | undefined;
  }): Promise<LlamaContext>;
}

export interface LlamaContext {
  readonly contextSize: number;
  getSequence(): LlamaSequence;
  dispose(): Promise<void>;
}

export interface LlamaSequence {
  readonly nextTokenIndex: number;
  readonly contextTokens: Token[];
  adaptStateToTokens(tokens: readonly Token[], allowShift: boolean): Promise<void>;
  evaluateWithoutGeneratingNewTokens(tokens: readonly Token[]): Promise<void>;
  evaluate(tokens: readonly Token[], options: EvaluateOptions): AsyncGenerator<Token, void, void>;
  clearHistory(): Promise<void>;
  saveStateToFile(path: string): Promise<{ fileSize: number }>;
  loadStateFromFile(path: string, options: { acceptRisk: true }): Promise<void>;
}

export interface EvaluateOptions {
  temperature: number;
  topK?: number | undefined;
  topP?: number | undefined;
  minP?: number | undefined;
  seed?: number | undefined;
  grammarEvaluationState: () => GrammarState | undefined;
}

/** The template engine that node-llama-cpp depends on. */
export interface JinjaLibrary {
  Template: new (source: string) => JinjaTemplate;
}

export interface JinjaTemplate {
  render(values: Record<string, unknown>): string;
}
