/** Static files that are deployed beside the bundle. */
export interface AssetsPort {
  /** Throws where there is no such file. */
  read(path: string): Promise<ArrayBuffer>
}

/** As much of the platform's binding as is used here. */
export interface AssetsBinding {
  fetch(request: Request): Promise<Response>
}

export function staticAssets(binding: AssetsBinding | undefined): AssetsPort {
  return {
    async read(path) {
      // The binding looks at the path alone.
      const answer = await binding?.fetch(new Request(`https://assets.local/${path}`))
      if (!answer?.ok) throw new Error(`The static asset ${path} is missing`)
      return answer.arrayBuffer()
    },
  }
}
