// Numbers of the ZIP format that the reader and the writer share:
// https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT

export const directoryEntrySignature = 0x02014b50
export const endRecordSignature = 0x06054b50
export const storedMethod = 0
export const deflatedMethod = 8
