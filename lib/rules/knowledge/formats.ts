export const articleFormats = ['markdown', 'text', 'html', 'docx', 'pdf'] as const
export type ArticleFormat = (typeof articleFormats)[number]
export type BinaryFormat = Extract<ArticleFormat, 'docx' | 'pdf'>

/** Whether an article of this format is bytes, which JSON has as base64. */
export const isBinary = (format: ArticleFormat): format is BinaryFormat =>
  format === 'docx' || format === 'pdf'
