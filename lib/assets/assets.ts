/** Reads static files that are deployed beside the bundle. */
export interface AssetsPort {
  /** Throw when the file does not exist. */
  read(path: string): Promise<ArrayBuffer>
}
