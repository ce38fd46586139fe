/** What filters find in the flows below. */
export const filtersOfMany = (author: string) => ({
  none: '',
  'a type that few have': 'tree_type=maintenance',
  'a status': 'status=draft',
  'a visibility of which few are mine': 'visibility=private',
  'an author': `author_id=${author}`,
  'an author of nothing': 'author_id=00000000-0000-7000-8000-00000000dead',
  'a category': 'category=category%201',
  'a category of nothing': 'category=none',
  'a tag on every flow': 'tag=common',
  'a tag on some': 'tag=tag1',
  'a tag on one': 'tag=Rare17',
  'a tag on none': 'tag=nothing',
  'words in every flow': 'search=printer%20number',
  'words in one': 'search=rare17%20printer',
  'words in none': 'search=zeppelin',
  'a word too short for an index': 'search=a',
  'three filters': 'tree_type=procedural&status=draft&visibility=account',
})

/** SQL for an account's `count` flows, by its authors in turn; without versions, which a list does not read. */
export function manyFlows(
  { id, teamId, authors }: { id: string; teamId: string | null; authors: readonly string[] },
  count: number,
): string {
  const author = `(array[${authors.map((one) => `'${one}'`).join(', ')}]::uuid[])[1 + n % ${authors.length}]`
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
