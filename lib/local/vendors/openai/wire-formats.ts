/** An error as the vendor words it: the parameter, and a code that clients compare. */
export interface RequestError {
  status: 400 | 401 | 404
  message: string
  param: string | null
  code: string | null
}

/** The parameters that endpoints differ in. */
type Parameter =
  | 'max_completion_tokens'
  | 'max_tokens'
  | 'reasoning_effort'
  | 'stream_options'
  | 'json_schema'
  | 'json_object'
  | 'tools'

/**
 * How a provider or a server of models speaks the protocol of OpenAI: what it refuses, in which words, and
 * how its answers look.
 */
export interface WireFormat {
  /** Path below `/openai`, as in the vendor's own base URL. */
  path: string
  /** The header that has the key; `authorization` if it is left out. */
  keyHeader?: 'api-key'
  /**
   * The message of the error for each parameter that it refuses. It ignores the others that it does not know.
   */
  refuses: Partial<Record<Parameter, string>>
  /** Parameters that it ignores. */
  ignores?: readonly Parameter[]
  /** Return the body of an error, in the vendor's shape. */
  toErrorBody(error: RequestError): unknown
  /**
   * Return the text of an answer as a model behind it writes it. `isConstrained` means that the server forces
   * the demanded format.
   */
  toContent?(json: string, isConstrained: boolean): string
  /** Return the spelling of a reason to finish. */
  toFinishReason?(reason: string): string
  /** The field that has the reasoning beside the content. */
  reasoningField?: 'reasoning' | 'reasoning_content'
  /** Whether it reports no usage. */
  hidesUsage?: true
  /** Whether a stream starts with an event without a choice. */
  startsEmpty?: true
  /** What it has of the models API; a model and the list if this is left out. */
  modelsApi?: 'list' | 'none'
}

const toOpenAiError = ({ message, param, code }: RequestError) => ({
  error: { message, type: 'invalid_request_error', param, code },
})

/**
 * The recorded formats. The links are to the vendors' documentation, or to a report that quotes the answer.
 */
export const wireFormats = {
  // https://developers.openai.com/api/docs/api-reference/chat/create. Base URL of the settings.
  openai: { path: '', refuses: {}, toErrorBody: toOpenAiError },

  // https://learn.microsoft.com/azure/foundry/openai/api-version-lifecycle. The filter's verdict on the prompt is the first event of a stream.
  azure: { path: '/azure/openai/v1', refuses: {}, toErrorBody: toOpenAiError, startsEmpty: true },

  // The address with a deployment and an older api-version:
  // https://github.com/openai/openai-python/issues/1724 and
  // https://github.com/microsoft/semantic-kernel/issues/10510 quote its refusals.
  azureDeployment: {
    path: '/azure/openai/deployments/local',
    keyHeader: 'api-key',
    refuses: {
      max_completion_tokens: 'Unrecognized request argument supplied: max_completion_tokens',
      reasoning_effort: 'Unrecognized request argument supplied: reasoning_effort',
      stream_options: 'Validation error at #/stream_options: Extra inputs are not permitted',
    },
    toErrorBody: ({ message }) => ({
      error: { message, type: 'invalid_request_error', param: null, code: null },
    }),
    startsEmpty: true,
    modelsApi: 'none',
  },

  // https://docs.ollama.com/api/openai-compatibility lists the fields. Others are ignored, so nothing bounds the answer.
  // https://github.com/Gitlawb/openclaude/issues/1371 quotes the refusal, which does not name the parameter, and
  // https://github.com/FoundationAgents/OpenManus/issues/220 that of tools.
  ollama: {
    path: '/ollama/v1',
    refuses: {
      reasoning_effort: '"local-rules-1" does not support thinking',
      tools: 'registry.ollama.ai/library/local-rules-1 does not support tools',
    },
    ignores: ['max_completion_tokens'],
    toErrorBody: ({ message }) => ({
      error: { message, type: 'invalid_request_error', param: null, code: null },
    }),
    reasoningField: 'reasoning',
  },

  // https://docs.vllm.ai/en/stable/serving/openai_compatible_server/. Its decoder refuses some schemas: https://github.com/vllm-project/vllm/issues/26421.
  // Without a reasoning parser the thoughts are in the content:
  // https://docs.vllm.ai/en/stable/features/reasoning_outputs/. Without its flags it takes no tools:
  // https://github.com/vllm-project/vllm/issues/9986.
  vllm: {
    path: '/vllm/v1',
    refuses: {
      json_schema: 'The provided JSON schema contains features not supported by xgrammar.',
      tools: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
    },
    toErrorBody: ({ status, message }) => ({
      object: 'error',
      message,
      type: 'BadRequestError',
      param: null,
      code: status,
    }),
    toContent: (json) => `<think>\nThe facts say {"reply": "not yet"}. I answer now.\n</think>\n\n${json}`,
    modelsApi: 'list',
  },

  // https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md; https://github.com/ggml-org/llama.cpp/issues/11847 quotes the error,
  // and https://github.com/containers/ramalama/issues/988 that of tools.
  llamaCpp: {
    path: '/llama.cpp/v1',
    refuses: {
      json_schema: 'Either "json_schema" or "grammar" can be specified, but not both',
      tools: 'tools param requires --jinja flag',
    },
    toErrorBody: ({ status, message }) => ({
      error: { code: status, message, type: 'invalid_request_error' },
    }),
    reasoningField: 'reasoning_content',
    hidesUsage: true,
    modelsApi: 'list',
  },

  // https://docs.litellm.ai/docs/completion/drop_params: without drop_params, what the model behind it does not support is an error, which
  // https://github.com/BerriAI/litellm/issues/13608 quotes. A model that nothing constrains likes to explain its JSON.
  liteLlm: {
    path: '/litellm',
    refuses: Object.fromEntries(
      (['json_schema', 'json_object', 'reasoning_effort'] as const).map((name) => [
        name,
        `litellm.UnsupportedParamsError: hosted_vllm does not support parameters: ['${name.startsWith('json') ? 'response_format' : name}'], for model=local-rules-1. To drop these, set \`litellm.drop_params=True\``,
      ]),
    ),
    toErrorBody: ({ status, message }) => ({
      error: { message, type: null, param: null, code: String(status) },
    }),
    toContent: (json) =>
      `Sure! Here is the answer as JSON:\n\n\`\`\`json\n${json}\n\`\`\`\n\nLet me know if {anything} is missing.`,
  },

  // https://ai.google.dev/gemini-api/docs/openai. Errors are lists: https://github.com/MinLL/SkyrimNet-GamePlugin/issues/77 quotes one. The reasons
  // to finish are written as in https://ai.google.dev/api/generate-content#FinishReason.
  gemini: {
    path: '/gemini/v1beta/openai',
    refuses: {
      stream_options: 'Invalid JSON payload received. Unknown name "stream_options": Cannot find field.',
    },
    toErrorBody: ({ status, message }) => [
      {
        error: {
          code: status,
          message,
          status: status === 404 ? 'NOT_FOUND' : 'INVALID_ARGUMENT',
          details: [],
        },
      },
    ],
    toContent: (json, isConstrained) =>
      isConstrained ? `${json.slice(0, -1)},"confidence":{"level":"high"}}` : json,
    toFinishReason: (reason) => (reason === 'length' ? 'MAX_TOKENS' : reason.toUpperCase()),
  },
} as const satisfies Record<string, WireFormat>

export type WireFormatName = keyof typeof wireFormats

/** Return the refusal of the first parameter of a request that the endpoint does not take. */
export function findRefusal({ refuses }: WireFormat, body: object): RequestError | undefined {
  const { response_format } = body as { response_format?: { type?: string } }
  const sent = new Set([...Object.keys(body), response_format?.type])
  const refused = Object.entries(refuses).find(([name]) => sent.has(name))
  return refused && { status: 400, message: refused[1], param: null, code: null }
}
