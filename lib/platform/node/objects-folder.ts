import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { withTimeout } from '#vendors/net/send-result.ts'
import { maxRemovedObjects, type ObjectsPort } from '#vendors/uploads/uploads.ts'
import { requireObjectKey, requireObjectSize } from './object-keys.ts'

/**
 * Create a port that stores objects as files of a folder, which is created when it is missing. Several
 * processes may share the folder. Each call ends after `timeoutMs`: a network file system may hang.
 */
export function folderObjects(folder: string, timeoutMs: number): ObjectsPort {
  const call = async <T>(key: string, work: (path: string) => Promise<T>): Promise<T> => {
    requireObjectKey(key)
    return withTimeout(timeoutMs, work(join(folder, key)))
  }
  return {
    async put(key, bytes) {
      requireObjectSize(bytes.byteLength)
      await call(key, (path) => replaceFile(path, bytes))
    },
    get: (key) => call(key, (path) => readWholeFile(path).catch(toNullIfMissing)),
    remove: (key) => call(key, (path) => rm(path, { force: true })),
    removeFolder: (key) => call(key, removeFiles),
    // Writing also finds a full disk and a read-only file system.
    pingObjects: () =>
      call(`ready-${randomUUID()}`, (path) => replaceFile(path, new Uint8Array(1)).then(() => rm(path))),
  }
}

/** List the keys of the objects in a folder. A folder that is missing has none. */
export async function listFolderObjects(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(toNullIfMissing)
  // A crash may have left a temporary file, whose name starts with a dot.
  const files = entries?.filter((entry) => entry.isFile() && !entry.name.startsWith('.')) ?? []
  return files.map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll(sep, '/'))
}

/**
 * Write a file so that a reader and a crash find either the whole file or none. A crash may leave the
 * temporary file.
 */
async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  const folder = dirname(path)
  // No object key starts with a dot.
  const temporary = join(folder, `.${randomUUID()}`)
  const createdFolder = await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    await writeDurably(temporary, bytes)
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await syncFolders(folder, createdFolder ? dirname(createdFolder) : folder)
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

/**
 * Sync a folder and its parents up to `last`. Without it a crash may lose their new entries:
 * https://man7.org/linux/man-pages/man2/fsync.2.html
 */
async function syncFolders(folder: string, last: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
  if (folder !== last) await syncFolders(dirname(folder), last)
}

/**
 * Delete up to 100 files below a folder, and the folder when it has no more. Return the number of deleted
 * files.
 */
async function removeFiles(path: string): Promise<number> {
  const entries = (await readdir(path, { recursive: true, withFileTypes: true }).catch(toNullIfMissing)) ?? []
  const files = entries.filter((entry) => !entry.isDirectory())
  for (const { parentPath, name } of files.slice(0, maxRemovedObjects))
    await rm(join(parentPath, name), { force: true })
  if (files.length <= maxRemovedObjects) await rm(path, { recursive: true, force: true })
  return Math.min(files.length, maxRemovedObjects)
}

async function readWholeFile(path: string): Promise<Uint8Array<ArrayBuffer> | null> {
  const file = await open(path, 'r')
  try {
    const stats = await file.stat()
    if (!stats.isFile()) return null
    requireObjectSize(stats.size)
    const bytes = new Uint8Array(stats.size)
    for (let at = 0; at < bytes.length; ) {
      const { bytesRead } = await file.read(bytes, at)
      if (bytesRead === 0) throw new Error('The file of an object became shorter while it was read')
      at += bytesRead
    }
    return bytes
  } finally {
    await file.close()
  }
}

function toNullIfMissing(error: unknown): null {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT' || code === 'ENOTDIR') return null
  throw error
}
