export const articleFormats = ['markdown', 'text', 'html', 'docx'] as const
export type ArticleFormat = (typeof articleFormats)[number]
