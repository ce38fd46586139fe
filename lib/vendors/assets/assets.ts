/** Reads the static files that are deployed with the bundle. */
export interface AssetsPort {
  /** Throw when the file does not exist. */
  read(path: string): Promise<ArrayBuffer>
  /** Return HarfBuzz, compiled. It is loaded by the first call. */
  loadHarfBuzz(): Promise<WebAssembly.Module>
  /** Return resvg, compiled. It is loaded by the first call. */
  loadResvg(): Promise<WebAssembly.Module>
}
