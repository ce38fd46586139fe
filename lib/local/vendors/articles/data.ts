/** An article of the local documentation tools. */
export interface LocalArticle {
  id: number
  name: string
  content: string
  companyId: number | null
  folderId: number | null
  draft: boolean
  archived: boolean
}

export interface LocalArticles {
  companies: { id: number; name: string }[]
  folders: { id: number; name: string }[]
  articles: LocalArticle[]
}

const subjects = [
  'Print spooler',
  'VPN client',
  'Mailbox quota',
  'Wi-Fi roaming',
  'Badge printer',
  'Backup job',
]
const companies = ['Northwind', 'Contoso & Sons', 'Fabrikam / Düsseldorf']

/** Build 60 articles, of which four are not published and one is empty. */
export function buildArticles(): LocalArticles {
  const articles = Array.from({ length: 60 }, (_, n): LocalArticle => {
    const name = `${subjects[n % subjects.length]} ${n + 1}`
    return {
      id: n + 1,
      name: n === 3 ? 'Zürich: "Drucker"\u0007 <reset>\nNo. 4' : name,
      content:
        n === 4 ? '' : `<h2>Fix</h2><ol><li>Open the console of ${name}.</li><li>Restart it.</li></ol>`,
      companyId: n % 4 === 3 ? null : (n % 4) + 1,
      folderId: n % 2 === 1 ? 1 : null,
      draft: n === 10 || n === 11,
      archived: n === 30 || n === 31,
    }
  })
  return {
    companies: companies.map((name, n) => ({ id: n + 1, name })),
    folders: [{ id: 1, name: 'Central' }],
    articles,
  }
}
