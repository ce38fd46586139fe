/**
 * Return named query strings that filter the list of flows. They are chosen for the flows of
 * `insertFlowsSql`.
 */
export const listFilters = (authorId: string) => ({
  none: '',
  'a rare type': 'tree_type=maintenance',
  'a status': 'status=draft',
  'a rare visibility': 'visibility=private',
  'an author': `author_id=${authorId}`,
  'an author without flows': 'author_id=00000000-0000-7000-8000-00000000dead',
  'a category': 'category=category%201',
  'an unknown category': 'category=none',
  'a tag on every flow': 'tag=common',
  'a tag on some flows': 'tag=tag1',
  'a tag on one flow': 'tag=Rare17',
  'an unknown tag': 'tag=nothing',
  'words in every flow': 'search=printer%20number',
  'words in one flow': 'search=rare17%20printer',
  'a word in no flow': 'search=zeppelin',
  'a word that is too short for an index': 'search=a',
  'three filters': 'tree_type=procedural&status=draft&visibility=account',
})

/**
 * Return SQL that inserts `count` flows of an account, by several authors. The flows have no versions,
 * because lists do not read them.
 */
export function insertFlowsSql(
  { id, teamId, authors }: { id: string; teamId: string | null; authors: readonly string[] },
  count: number,
): string {
  const quotedIds = authors.map((authorId) => `'${authorId}'`).join(', ')
  const author = `(array[${quotedIds}]::uuid[])[1 + n % ${authors.length}]`
  return `
    insert into categories (account_id, name) select '${id}', 'Category ' || n from generate_series(0, 19) n;
    insert into trees (account_id, team_id, author_id, tree_type, status, visibility, name, description, category_id, tags, version,
                       usage_count, created_at, updated_at)
    select '${id}', ${teamId ? `'${teamId}'` : 'null'}, ${author},
           case when n % 100 = 0 then 'maintenance' when n % 10 = 0 then 'procedural' else 'troubleshooting' end,
           case when n % 7 = 0 then 'draft' else 'published' end, (array['account', 'team', 'private', 'public'])[1 + n % 4],
           'Flow ' || md5(n::text || '${id}'), 'What to do about printer number ' || n || ' when it is out of order and nobody knows why.',
           c.id, array['common', 'tag' || n % 50, 'rare' || n], 1 + n % 9, n * 7919 % 1000,
           app.now() - n * interval '1 minute', app.now() - n * 31 % 20000 * interval '1 minute'
      from generate_series(1, ${count}) n join categories c on c.account_id = '${id}' and c.name = 'Category ' || n % 20;`
}
