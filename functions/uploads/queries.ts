import type { ReadDb, WriteDb } from '#db/scope.ts'
import type { Upload } from './schemas.ts'

interface NewUpload {
  id: string
  object_key: string
  width: number
  height: number
  size: number
  /** Of the stored file, 64 hexadecimal digits. */
  sha256: string
}

const columns = ['id', 'width', 'height', 'size', 'created_at'] as const

export async function insertUpload(db: WriteDb, upload: NewUpload): Promise<Upload> {
  const row = await db
    .insertInto('uploads')
    .values({ ...upload, content_type: 'image/jpeg' })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return { ...row, content_type: 'image/jpeg' }
}

export async function selectUpload(db: ReadDb, id: string): Promise<Upload | undefined> {
  const row = await db.selectFrom('uploads').select(columns).where('id', '=', id).executeTakeFirst()
  return row && { ...row, content_type: 'image/jpeg' }
}

export async function selectObjectKey(db: ReadDb, id: string): Promise<string | undefined> {
  return (await db.selectFrom('uploads').select('object_key').where('id', '=', id).executeTakeFirst())
    ?.object_key
}
