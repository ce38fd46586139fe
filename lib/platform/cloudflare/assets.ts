import type { AssetsPort } from '#vendors/assets/assets.ts'

/** The used part of the Worker's binding. */
export interface AssetsBinding {
  fetch(request: Request): Promise<Response>
}

/** Create a reader of static files that uses the Worker's binding. */
export function staticAssets(binding: AssetsBinding | undefined): AssetsPort {
  return {
    async read(path) {
      // The binding uses only the path.
      const answer = await binding?.fetch(new Request(`https://assets.local/${path}`))
      if (!answer?.ok) throw new Error(`The static asset ${path} is missing`)
      return answer.arrayBuffer()
    },
    loadHarfBuzz: async () => (await import('./harfbuzz-wasm.ts')).harfBuzz,
    loadResvg: async () => (await import('./resvg-wasm.ts')).resvg,
  }
}
