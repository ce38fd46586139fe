import type { AiPort } from './ai.ts'
import type { OpenAiSettings } from './openai.ts'

/** Create the port of `openAi`, whose client is loaded by the first call: it is a tenth of the code, and most requests do not need it. */
export function lazyOpenAi(settings: OpenAiSettings): AiPort {
  let port: AiPort | undefined
  const load = async (): Promise<AiPort> => {
    const { openAi } = await import('./openai.ts')
    port ??= openAi(settings)
    return port
  }
  return {
    model: settings.model,
    complete: async (completion) => (await load()).complete(completion),
    ping: async () => (await load()).ping(),
  }
}
