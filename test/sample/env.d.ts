// What Vite sets at the start: https://vite.dev/guide/env-and-mode
interface ImportMetaEnv {
  /** Origin of the service. */
  readonly VITE_API_URL: string
  /** JSON of the demo people, or of an empty list. */
  readonly VITE_DEMO_PEOPLE: string
}

interface ImportMeta {
  readonly env: ImportMetaEnv
}
