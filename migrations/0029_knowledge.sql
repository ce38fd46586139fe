-- The sources of a diagnosis: published flows, knowledge articles and resolved AI sessions, as words that a problem is compared with.
-- Triggers store the words, so that no operation can forget them.
create table knowledge_entries (
  id            uuid not null default uuidv7(),
  account_id    uuid not null default app.account_id() references accounts on delete cascade,
  tree_id       uuid,
  import_id     uuid,
  ai_session_id uuid,
  words         tsvector not null,
  primary key (id),
  unique (account_id, id),
  unique (account_id, tree_id),
  unique (account_id, import_id),
  unique (account_id, ai_session_id),
  foreign key (account_id, tree_id) references trees (account_id, id) on delete cascade,
  foreign key (account_id, import_id) references kb_imports (account_id, id) on delete cascade,
  foreign key (account_id, ai_session_id) references ai_sessions (account_id, id) on delete cascade,
  check (num_nonnulls(tree_id, import_id, ai_session_id) = 1)
);
-- Without a list of pending insertions, which every search would read completely.
create index knowledge_entries_words on knowledge_entries using gin (account_id, words) with (fastupdate = off);

-- The number of an account's entries in which a word occurs. A rare word says more about a problem than a common one, and a search that starts from
-- the rare words reads few entries. The empty word counts all entries.
create table knowledge_terms (
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  term       text not null,
  entries    integer not null,
  primary key (account_id, term)
) with (fillfactor = 80);
-- For words that no entry contains exactly: misspelled, inflected or compound ones.
create index knowledge_terms_similar on knowledge_terms using gin (account_id, term gin_trgm_ops) with (gin_pending_list_limit = 64);

-- Returns the sign of each number of an embedding. Two embeddings are the nearer, the fewer of their signs differ.
create function app.embedding_signs(p_embedding real[]) returns bit varying language sql immutable parallel safe as $$
  select string_agg(case when value > 0 then '1' else '0' end, '' order by place)::bit varying from unnest(p_embedding) with ordinality e (value, place)
$$;
-- What the model says of the start of an entry's text: one row per entry. A job embeds those that are due, and those of another model.
create table knowledge_embeddings (
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  entry_id   uuid not null,
  -- Null until the entry is embedded.
  model      text check (length(model) <= 200),
  text_hash  bytea check (octet_length(text_hash) = 32),
  embedding  real[] check (cardinality(embedding) between 8 and 4096),
  signs      bit varying generated always as (app.embedding_signs(embedding)) stored,
  due_at     timestamptz(3) default app.now(),
  primary key (account_id, entry_id),
  foreign key (account_id, entry_id) references knowledge_entries (account_id, id) on delete cascade,
  check (num_nulls(model, text_hash, embedding) in (0, 3))
);
-- A search reads all signs and few embeddings, which cannot be compressed.
alter table knowledge_embeddings alter column embedding set storage external;
create index knowledge_embeddings_due on knowledge_embeddings (due_at) where due_at is not null;
create index knowledge_embeddings_model on knowledge_embeddings (model) where due_at is null;

call app.protect('knowledge_entries');
call app.protect('knowledge_terms');
call app.protect('knowledge_embeddings');
grant select on knowledge_entries, knowledge_terms, knowledge_embeddings to app_runtime;
grant select, insert, update, delete on knowledge_entries, knowledge_terms, knowledge_embeddings to app_platform;

-- Returns the dictionary of the language in which a text is written: the one that knows most of its words as stop words.
create function app.text_dictionary(p_text text) returns regdictionary language sql immutable parallel safe as $$
  select coalesce((
    select d.dictionary
      from (select distinct w[1] as word from regexp_matches(left(lower(p_text), 3000), '[[:alpha:]]+', 'g') w) words,
           (values (1, 'english_stem'::regdictionary), (2, 'german_stem'), (3, 'french_stem'), (4, 'spanish_stem'), (5, 'italian_stem'),
                   (6, 'portuguese_stem'), (7, 'dutch_stem'), (8, 'danish_stem'), (9, 'swedish_stem')) d (place, dictionary)
     where ts_lexize(d.dictionary, words.word) = '{}'
     group by d.place, d.dictionary order by count(*) desc, d.place limit 1), 'english_stem')
$$;

-- Writes names of several words apart: KubeNodeNotReady is also four words. OneDrive stays one, because a drive is something else.
create function app.split_names(p_text text, p_parts integer) returns text language sql immutable parallel safe as $$
  select string_agg(regexp_replace(m[1], '([[:lower:]])([[:upper:]])', '\1 \2', 'g'), ' ')
    from regexp_matches(p_text, '\m((?:[[:alpha:]]*?[[:lower:]](?=[[:upper:]])){' || p_parts - 1 || ',}[[:alpha:]]+)', 'g') m
$$;
-- Splits the start of a text into words without accents: each as written (`simple`) and as its stem, without stop words. The rest of a long text
-- adds little to its words, and would make its first save slow.
create function app.text_words(p_text text, p_dictionary regdictionary) returns table (word text, stem text)
language sql immutable parallel safe as $$
  select app.fold(w.lexeme), app.fold(coalesce((ts_lexize(p_dictionary, w.lexeme))[1], w.lexeme))
    from unnest(to_tsvector('simple', concat_ws(' ', left(p_text, 30000), app.split_names(left(p_text, 30000), 3)))) w
   where length(w.lexeme) between 2 and 60 and w.lexeme !~ '^[0-9.]+$' and ts_lexize(p_dictionary, w.lexeme) is distinct from '{}'
$$;
-- Words that occur in tickets of every kind: what people say, that something fails, who works where, days. They say nothing about the problem,
-- even if few entries contain them. They are written without accents: English, German, Czech, then French and Spanish.
create function app.ticket_filler() returns text[] language sql immutable parallel safe as $$
  select string_to_array(replace(ltrim('
    able accounting actually already also always another anymore anyone anything april asap ask asks august back better boss bought branch
    broken call caller came can cannot ceo change changed changing check client colleague colleagues come comes company could customer damaged day
    days dead december defect defective department did different does doesnt done dont employee employees end ends even every everybody
    everyone everything fail failed failing fails failure february finance find fine first fix friday get gets getting give go goes going
    gone good got guys happen happened happens hello help hi however hr issue issues january july june just keep keeps know last like look
    looks made make manager many march may maybe missing monday morning mr mrs much must need needed needs never new next night nobody nothing
    november now number october office often ok okay old one ones open opens people person please possible problem problems put really
    reception reports right said sales saturday say says see seems send sent september service services set should show shows since solution some
    somebody someone something sometimes soon staff start started starts still stop stopped stops suddenly suggest sunday sure take takes
    tell thank thanks thing things think though thursday ticket time times today told tomorrow tried try trying tuesday twice two use used
    user users uses using via want way we wednesday week weekend well went whole without wont work worked working works would wrong yes
    yesterday yet
    abteilung an beginnt benutzer benutzerin bitte brauche brauchen braucht buchhaltung buro chef chefin danke defekt dezember dienst dienstag dienste donnerstag einkauf
    empfang erst etage fangt februar fehlen fehler fehlgeschlagen fehlt filiale firma frau freitag funktioniert ganz geht gerade gestern haben hallo herr heute hilfe
    immer januar jetzt juli juni kaputt kein keine kommen kommt kunde kunden lager lasst lauft macht mai marz mehr meldet mitarbeiter
    mitarbeiterin mittwoch nacht montag morgen neu neue neuen neuer neues nimmt obwohl oktober prufen samstag schon seit sonntag standig starten startet
    startete steht stock vertrieb wieder wird wochenende wurde wurden zeigt
    aby ale ani asi az bude budou by byl byla bylo byt chce chceme chtel chvili chyba chybi co ctvrtek da den dnes do dobry firme hlasi ho i
    ja jak jako je jeho jeji jen jeste ji jiz jsem jsme jsou k kancelar kancelari kazdou kde kdy kdyz ke kolega kolegyne ktera ktere ktery
    ma maji mame me mi mne moc mohu muj muze muzete my na nad nam nas nebo nedele nedeli nefunguje nejde nejede nelze nemuze nemuzu neni nespousti
    nespusti nez nic nikdo nove novy o od oddeleni ode on ona oni ono pak patek patre patro pise po pobocce pobocka pod podle pokud pondeli porad
    porucha poruchu potrebujeme potrebuji pred pri pro proc prosim pry recepce recepci s se sef si sklad skladu sluzba sobota sobotu spousti
    spustit stale streda stredu svuj ta tak tam te ted ten tento ti to toho tu u uctarna uctarne utery uz uzivatel uzivatele uzivatelka v vam vas vcera vcerejska ve
    vikend vikendu vsak vse vsechna vsechny vy z za zamestnanec zase zde ze
    aujourd ayuda bonjour bonsoir buenos cliente depuis desde encore erreur error favor gracias hier hola hoy manana matin merci nouveau
    nuevo plus problema probleme todavia', E'\n '), E'\n    ', ' '), ' ')
$$;

-- Returns the words of the field that mean the same, in English, German and Czech, as LIKE patterns of words without accents. A line is a concept and
-- its words. Two neighbouring words are one here: "log on" is logon.
create function app.field_terms() returns table (concept text, pattern text, length integer) language sql immutable parallel safe as $$
  select '#' || l.words[1], replace(w, '*', '%'), length(replace(w, '*', ''))
    from (select string_to_array(line, ' ') as words from string_to_table(btrim('
account account accounts konto konten kontos *benutzerkonto ucet uctu
announcement announcement* greeting* *ansage
antivirus antivir* virenscan* virenschutz* eset defender
attachment attachment* *anhang *anhange* priloh*
audio audio sound ton hear hears hort horen mikro mikrofon* microphone* mic *headset* sluchatk* zvuk* slysi*
backup backup* *sicherung* zaloh* veeam
battery batter* akku* bateri*
beep beep* piep* pipa
bluescreen bluescreen* bsod stopcode*
call call calls caller callers *anruf* hovor* volani
camera camera* *kamera *kameras kamer* cctv
card card cards *karte *karten *zahlung* payment* kartou
cash kasse* pos pokladn*
certificate certificat* cert certs ssl tls *zertifikat* certifik*
clock clock clocks *uhr uhrzeit* hodiny
computer pc pcs computer* laptop* *notebook* workstation* *rechner rechners pocitac*
connect connect* *verbind* verbund* pripoj* nepripoj* spojen*
crash crash* absturz* abgesturzt* sturzt pada padaji padla spadn*
database database* datenbank* databaz*
delete delet* losch* gelosch* smaz* vymaz*
disk disk disks volume volumes *festplatt* platte disku
distribution distributionlist* mailinglist* *verteiler* distribucniseznam*
drive drive drives *laufwerk*
drop drop drops dropped dropping disconnect* abbruch* bricht getrennt trennt odpoj* vypadav* unstable
encrypt encrypt* ransom* cryptolock* lockbit* verschlussel* erpress* zasifr* vykupn*
expire expir* abgelaufen* ablauf* vyprs*
file file files *datei *dateien soubor* document* dokument*
folder folder* *ordner* *verzeichnis* slozk* directories
forward forward* weiterleit* *umleit* presmer* divert*
freeze freez* frozen froze hang hangs hanging hangt zamrz*
full full voll volle plny plna plne
guest guest* visitor* gast gaste besuch* hoste navstev*
holiday holiday* vacation* *urlaub* feiertag* dovolen*
install install* nainstal*
internet internet*
invoice invoice* *rechnung* faktur*
key key keys *schlussel* klic*
label label* *etikett* stitk*
licence licen* *lizenz* unlicen*
lock lock locks locked lockout* locking gesperrt* sperr* entsperr* zamk* zamc* zablok* uzamc*
lost lost stolen verloren* verlor* gestohlen* geklaut* ztrac* ztrati* ukrad*
mail mail mails email* maily mailu maile post posta posty bounce* undeliver* unzustellbar* junk spam*
mailbox mailbox* *postfach* inbox*
meeting meeting* *besprechung* schuzk* konferenz*
mfa mfa 2fa authenticator* otp secondfactor zweitfaktor* totp
monitor monitor monitors screen screens display* *bildschirm* obrazovk* monitory
name dns hostname* nslookup* resolv* auflos* nameserver*
offboarding offboard* leaver* leavesthe leavesus leaveson verlasst* verlassen leftthe resign* austritt* kundig* ausscheid* odchaz* odchod*
onboarding onboard* newstarter* newuser* newemployee* newhire* newcolleague* newjoiner* joiner* apprentice* neuemitarbeiter* neuermitarbeiter* neuekolleg* neuerkolleg* eintritt* novyzamestnan* novazamestnan* novakoleg* nastup*
password password* passwort* kennwort* passphrase* heslo hesla heslem
permission permission* rights access *berechtig* zugriff* recht rechte opravn* pristup*
phishing phish* scam* spoof* suspicious* fake faked verdachtig* betrug* podezrel* podvod* pretend*
phone phone phones iphone* smartphone* *handy *handys *telefon* mobil mobile mobilu
power power turnon turnson poweron einschalt* zapn* nezapn* napajen*
print print prints printer* printing *drucker* druck druckt drucken *ausdruck* gedruckt tiskar* tisk tiskn* netiskn* vytisk* copier* kopierer* plotter*
queue queue* *warteschlang* printjob* *druckauftrag* fronta fronte
record record recording* recorder* aufzeichn* nahrav* nenahrav* zaznam*
replace replac* *tausch* wechsel* vymen*
replicate replic* replik*
restart restart* reboot* neustart* neugestart*
restore restor* wiederherstell* obnov* recover* zuruckhol*
scan scan scans scann* sken* eingescan*
signin signin signon login* logon* logging loggedin einlogg* anmeld* angemeld* prihlas* neprihlas*
signature signature* signatur* podpis* podeps* unterschrift*
slow slow* takesforever takesages sluggish* crawl* langsam* lahm* pomal* zpomal*
space space *speicher* misto
stripe streif* stripe* streak* pruh*
sync sync syncs synced syncing synchron* nesynchron*
terminal rds rdp terminalserver* remotedesktop*
toner toner* cartridge* kartusche*
update update* updating aktualis* aktualiz* patch* upgrad*
ups ups usv
vpn vpn vpns tunnel* forticlient* globalprotect* anyconnect* wireguard* openvpn*
vm vm vms virtualmachine* virtuell*
website website* webseite* homepage*
wifi wifi wlan wireless ssid
', E'\n'), E'\n') line) l, unnest(l.words[2:]) w
$$;
-- Returns the concepts of words. `p_firsts` has the length of the first word of each pair, which does not decide alone, and 0 for a single word.
create function app.find_concepts(p_words text[], p_firsts integer[]) returns table (word text, concept text)
language sql immutable parallel safe as $$
  with terms as materialized (select *, left(pattern, 2) as start from app.field_terms()), words as (select * from unnest(p_words, p_firsts) w (word, first)),
  endings as materialized (select * from terms where start like '\%%')
  select w.word, t.concept from words w join terms t on t.start = left(w.word, 2) and w.word like t.pattern and (w.first = 0 or t.length > w.first)
  union select w.word, t.concept from endings t join words w on w.word like t.pattern where w.first = 0
$$;
-- Returns whether a word says nothing about a problem, in a text that may mix languages.
create function app.is_filler(p_word text) returns boolean language sql immutable parallel safe as $$
  select p_word = any (app.ticket_filler()) or ts_lexize('english_stem', p_word) = '{}' or ts_lexize('german_stem', p_word) = '{}'
$$;
-- Returns the neighbouring words at the start of a text as one word, each with the length of its first part. A name has no stop word or filler.
create function app.word_pairs(p_text text) returns table (pair text, first integer, is_name boolean) language sql immutable parallel safe as $$
  with words as (
    select m[1] as word, place, m[1] !~ '^[0-9]' and not app.is_filler(m[1]) as is_name
      from regexp_matches(app.fold(left(p_text, 1000)), '[[:alnum:]]+', 'g') with ordinality r (m, place))
  select w.word || n.word, min(length(w.word)), bool_or(w.is_name and n.is_name) from words w join words n on n.place = w.place + 1
   where length(w.word || n.word) between 4 and 40 group by 1
$$;

-- Quotes a word for a tsvector or tsquery literal.
create function app.quote_term(p_term text) returns text language sql immutable parallel safe
  as $$ select '''' || replace(replace(p_term, '\', '\\'), '''', '''''') || '''' $$;
-- Returns the words and concepts of the three texts of an entry: its title, its description and its body.
create function app.knowledge_words(p_title text, p_description text, p_body text) returns tsvector
language sql immutable parallel safe as $$
  with language as materialized (select app.text_dictionary(concat_ws(' ', p_title, p_description, p_body)) as dictionary),
  texts (weight, content) as (values ('A', coalesce(p_title, '')), ('B', coalesce(p_description, '')), ('C', coalesce(p_body, ''))),
  words as materialized (
    select texts.weight, t.term, 0 as first
      from language, texts, lateral app.text_words(texts.content, language.dictionary) w, unnest(array[w.word, w.stem]) t (term)
    union select texts.weight, p.pair, p.first from texts, lateral app.word_pairs(texts.content) p where texts.weight < 'C'),
  concepts as materialized (
    select c.* from (select array_agg(term) as terms, array_agg(first) as firsts from (select distinct term, first from words) w) w,
           lateral app.find_concepts(w.terms, w.firsts) c),
  terms as (
    select t.term, min(t.weight) as weight from (
      select term, weight from words where first = 0
      union all select c.concept, w.weight from words w join concepts c on c.word = w.term) t group by 1)
  select coalesce((select string_agg(app.quote_term(term) || ':1' || weight, ' ' order by term) from terms)::tsvector, ''::tsvector)
$$;

-- Stores the words of one source, or removes them when the source no longer counts as knowledge. Unchanged words are not written again. Their order
-- may have changed, so the embedding is due in any case.
create function app.put_knowledge(p_account uuid, p_tree uuid, p_import uuid, p_session uuid, p_texts text[]) returns void
language plpgsql set search_path = public, pg_temp as $$
declare
  v_words constant tsvector := case when p_texts is not null then app.knowledge_words(p_texts[1], p_texts[2], p_texts[3]) end;
  stored constant tsvector := (
    select e.words from knowledge_entries e
     where e.account_id = p_account and (e.tree_id = p_tree or e.import_id = p_import or e.ai_session_id = p_session));
begin
  if v_words is null then
    delete from knowledge_entries e
     where e.account_id = p_account and (e.tree_id = p_tree or e.import_id = p_import or e.ai_session_id = p_session);
    return;
  elsif stored is null then
    insert into knowledge_entries (account_id, tree_id, import_id, ai_session_id, words)
    values (p_account, p_tree, p_import, p_session, v_words) on conflict do nothing;
  elsif v_words <> stored then
    update knowledge_entries e set words = v_words
     where e.account_id = p_account and (e.tree_id = p_tree or e.import_id = p_import or e.ai_session_id = p_session);
  end if;
  insert into knowledge_embeddings (account_id, entry_id)
  select e.account_id, e.id from knowledge_entries e
   where e.account_id = p_account and (e.tree_id = p_tree or e.import_id = p_import or e.ai_session_id = p_session)
  on conflict (account_id, entry_id) do update set due_at = app.now();
end $$;
-- The title, the description and the body of a source, or null if it does not count as knowledge.
create function app.flow_texts(t trees) returns text[] language sql stable set search_path = public, pg_temp as $$
  select array[t.name, concat_ws(E'\n', t.description, array_to_string(t.tags, ' '), v.category), (
           select string_agg(texts.value #>> '{}', E'\n') from jsonb_path_query(v.tree_structure,
             'strict $.** ? (@.type() == "object").keyvalue()
                ? (@.key like_regex "^(title|description|action|solution|label)$").value') texts (value))]
    from tree_versions v
   where v.account_id = t.account_id and v.tree_id = t.id and v.version = t.version and v.tree_structure is not null
     and t.status = 'published' and t.deleted_at is null
$$;
create function app.article_texts(i kb_imports) returns text[] language sql stable set search_path = public, pg_temp as $$
  -- An article begins with what it is about.
  select array[i.title, left(t.body, 600), substr(t.body, 601)]
    from (select string_agg(b.item ->> 'text', E'\n') as body from jsonb_array_elements(i.blocks) b (item)) t
$$;
create function app.session_texts(s ai_sessions) returns text[] language sql stable set search_path = public, pg_temp as $$
  select array[s.title, concat_ws(E'\n', s.problem_summary, s.issue_category),
         concat_ws(E'\n', s.triage_hypothesis, s.resolution_notes, s.resolution, (
           select string_agg(f.title, E'\n') from ai_fixes f
            where f.account_id = s.account_id and f.session_id = s.id and f.status in ('applied_success', 'applied_partial')))]
   where s.status = 'resolved' and s.outcome <> 'not_reproducible'
$$;

-- Security definer, because the runtime role does not write these tables. The account is that of the changed row.
create function app.keep_flow_knowledge() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform app.put_knowledge(t.account_id, t.id, null, null, app.flow_texts(t)) from trees t
    where t.account_id = new.account_id and t.id = case tg_table_name when 'trees' then new.id else (to_jsonb(new) ->> 'tree_id')::uuid end;
  return null;
end $$;
create trigger knowledge after insert on tree_versions for each row execute function app.keep_flow_knowledge();
create trigger knowledge after update of status, deleted_at, version, name, description, tags on trees for each row
  when ((old.status, old.deleted_at, old.version, old.name, old.description, old.tags)
        is distinct from (new.status, new.deleted_at, new.version, new.name, new.description, new.tags))
  execute function app.keep_flow_knowledge();
create function app.keep_article_knowledge() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform app.put_knowledge(new.account_id, null, new.id, null, app.article_texts(new));
  return null;
end $$;
create trigger knowledge after insert on kb_imports for each row execute function app.keep_article_knowledge();
create function app.keep_session_knowledge() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform app.put_knowledge(new.account_id, null, null, new.id, app.session_texts(new));
  return null;
end $$;
create trigger knowledge after update of status on ai_sessions for each row
  when (old.status <> new.status and 'resolved' in (old.status, new.status))
  execute function app.keep_session_knowledge();

-- The words of an entry, and the empty word.
create function app.entry_terms(p_words tsvector) returns setof text language sql immutable parallel safe as $$
  select '' union all select lexeme from unnest(p_words)
$$;
-- Updates the counts of words of one entry, under the lock that also guards the account's other counters, at the commit. An account that is
-- being deleted has no counts. A word that no entry contains any more is deleted.
create function app.keep_terms() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_account constant uuid := case when tg_op = 'DELETE' then old.account_id else new.account_id end;
  v_added constant text[] := case when tg_op <> 'DELETE' then array(select app.entry_terms(new.words)) end;
  v_removed constant text[] := case when tg_op <> 'INSERT' then array(select app.entry_terms(old.words)) end;
begin
  perform app.lock_usage(v_account);
  insert into knowledge_terms (account_id, term, entries)
  select a.id, c.term, sum(c.change) from accounts a, (
    select term, 1 as change from unnest(v_added) term union all select term, -1 from unnest(v_removed) term) c
   where a.id = v_account group by 1, 2 having sum(c.change) <> 0
  on conflict (account_id, term) do update set entries = knowledge_terms.entries + excluded.entries;
  delete from knowledge_terms k where k.account_id = v_account and k.term = any (v_removed) and k.entries <= 0;
  return null;
end $$;
create constraint trigger terms after insert or update or delete on knowledge_entries deferrable initially deferred
  for each row execute function app.keep_terms();

-- Returns the entries of the account and the platform that fit a problem, best first. A word of the text also stands for its stems, its concepts,
-- similar words, and parts of a compound. Of a long text, the 40 rarest words that entries contain are searched, then unknown ones. The weight of a
-- word depends on its rarity and on where it occurs. An entry must meet three conditions:
-- 1. One of the shared words is rare, and in its title or description.
-- 2. One of the shared words is in its title; otherwise, two are in its description and condition 3 is stricter.
-- 3. It shares 28 % of the text's weight, or 40 % without a word in the title. It may share less if it shares more words, which chance does not
--    explain. A long text is not compared whole.
-- Among fewer than 20 entries rarity says little: there half of the weight does instead of a rare word, and condition 3 alone decides, with 45 %
-- and 42 %. The shares are those with the fewest errors on the lines of test/eval.
-- Security definer, because @@ and % are not leakproof; the caller joins the ids to the rows that the policies show.
create function app.find_knowledge(p_text text, p_limit integer)
returns table (tree_id uuid, import_id uuid, ai_session_id uuid, score double precision)
language plpgsql stable security definer rows 20 set search_path = public, pg_temp
-- Every step must use its index, with the values of this call.
set plan_cache_mode = force_custom_plan set enable_seqscan = off set pg_trgm.similarity_threshold = 0.4 as $$
declare
  v_accounts constant uuid[] := array[app.account_id(), app.platform_account()];
  v_text text := left(p_text, 4000);
  v_entries double precision;
  -- Among few entries a word that several contain can still decide, and rarity says little.
  v_is_small boolean;
  v_words integer[];
  v_are_pairs boolean[];
  v_queries tsquery[];
  v_weights double precision[];
  v_all double precision;
  v_query tsquery;
  -- The weight of a word that a quarter of the entries contain.
  v_rare constant double precision := 1.4;
  -- What ts_rank makes of one occurrence with weight 1: 6 / pi^2.
  v_one constant double precision := ts_rank('a:1'::tsvector, 'a'::tsquery) / 0.1;
begin
  perform app.require_scope();
  select coalesce(sum(k.entries), 0) into v_entries from knowledge_terms k where k.account_id = any (v_accounts) and k.term = '';
  v_is_small := v_entries < 20;
  -- A name that no entry contains may be written apart there.
  v_text := concat_ws(' ', v_text, (
    select string_agg(app.split_names(n.name, 2), ' ') from (
      select distinct m[1] as name from regexp_matches(v_text, '\m([[:alpha:]]*[[:lower:]][[:upper:]][[:alpha:]]*)', 'g') m) n
     where not exists (select from knowledge_terms k where k.account_id = any (v_accounts) and k.term = app.fold(n.name) and k.entries > 0)));

  with words as materialized (
    select w.word, array_agg(distinct app.fold(x)) filter (where length(x) > 3) as stems, 0 as first, true as is_name
      from app.text_words(v_text, app.text_dictionary(v_text)) w left join lateral (
             -- A short text does not tell its language.
             select unnest(ts_lexize(d, w.word)) as x
               from unnest('{english_stem,german_stem,french_stem,spanish_stem,italian_stem,portuguese_stem,dutch_stem,danish_stem,swedish_stem}'::regdictionary[]) d
           ) stems on true
     where not app.is_filler(w.word) group by 1
    union all select p.pair, null, p.first, p.is_name from app.word_pairs(v_text) p
  ), concepts as materialized (
    select c.word, array_agg(c.concept) as concepts
      from (select array_agg(word) as words, array_agg(first) as firsts from words) w, lateral app.find_concepts(w.words, w.firsts) c group by 1
  ), forms as materialized (
    select w.word, w.first > 0 as is_pair,
           case when w.is_name then array[w.word] else '{}' end || coalesce(w.stems, '{}') || coalesce(c.concepts, '{}') as terms
      from words w left join concepts c using (word)
  ), input as materialized (
    select row_number() over (order by k.entries, f.word) as place, f.*, k.entries
      from forms f, lateral (
             select max(t.entries) as entries from (
               select sum(k.entries) as entries from knowledge_terms k
                where k.account_id = any (v_accounts) and k.term = any (f.terms) and k.entries > 0 group by k.term) t) k
     where not f.is_pair or k.entries > 0 order by k.entries, f.word limit 40
  ), known as materialized (
    select i.place, k.term, sum(k.entries) as entries, 1::real as factor
      from input i, lateral (select distinct unnest(i.terms)) t (term), knowledge_terms k
     where k.account_id = any (v_accounts) and k.term = t.term and k.entries > 0 group by 1, 2
  ), inexact as materialized (
    select i.place, i.word, i.entries from input i where length(i.word) >= 5 and not i.is_pair and i.word !~ '[0-9]'
     order by i.entries nulls first, i.word limit 12
  ), found as (
    select f.place, f.term, max(f.entries) as entries, max(f.factor) as factor from (
      select * from known
      union all
      select i.place, s.* from inexact i, lateral (
        select k.term, sum(k.entries), similarity(k.term, i.word) * 0.9::real from knowledge_terms k
         where k.account_id = any (v_accounts) and k.term % i.word and k.entries > 0 and left(k.term, 1) <> '#'
           -- Beside a word that entries contain only its other forms count.
           and (i.entries is null or left(k.term, 4) = left(i.word, 4))
         group by 1 order by 3 desc, 1 limit 4) s
      union all
      select i.place, k.term, sum(k.entries), 0.7::real from inexact i, knowledge_terms k
       where length(i.word) >= 9 and k.account_id = any (v_accounts) and k.entries > 0
         and k.term = any (array(select unnest(array[left(i.word, n), right(i.word, n)]) from generate_series(5, length(i.word) - 3) n))
       group by 1, 2) f group by 1, 2
  ), weighted as materialized (
    select i.place, i.is_pair, least(ln(1 + (greatest(v_entries, 30) - coalesce(max(f.entries), 0) + 0.5) / (coalesce(max(f.entries), 0) + 0.5)),
             -- Few entries lack many ordinary words.
             case when v_is_small and max(f.entries) is null then 2 end) as weight
      from input i left join found f using (place)
     -- An id, version or address that no entry contains says nothing about the problem.
     where f.place is not null or i.word !~ '[0-9]' group by 1, 2
  ), chosen as (
    select f.place, w.is_pair, app.quote_term(f.term) as term, w.weight * f.factor as weight,
           sum(f.entries) over (order by f.entries, f.term, f.place) as entries
      from found f join weighted w using (place) order by f.entries, f.term, f.place limit 60
  )
  select array_agg(c.place), array_agg(c.is_pair), array_agg(c.term::tsquery), array_agg(c.weight),
         string_agg(c.term, ' | ') filter (where c.entries <= 200)::tsquery, (select sum(weight) from weighted)
    into v_words, v_are_pairs, v_queries, v_weights, v_query, v_all from chosen c;
  -- No word is rare enough for condition 1.
  if not v_is_small and coalesce((select max(w) from unnest(v_weights) w), 0) < v_rare then
    return;
  end if;
  -- Every word is common: an entry has to contain the two rarest.
  if v_query is null then
    v_query := v_queries[1] && coalesce((
      select u.query from unnest(v_words, v_queries) with ordinality u (word, query, place) where u.word <> v_words[1]
       order by u.place limit 1), v_queries[1]);
  end if;

  return query
    with candidates as materialized (
      select e.tree_id, e.import_id, e.ai_session_id, e.words || '' as words from knowledge_entries e
       where e.account_id = any (v_accounts) and e.words @@ v_query limit 200
    ), matches as (
      select c.*, u.word, u.is_pair, u.weight, ts_rank('{0, 0.35, 0.7, 1}', c.words, u.query) / v_one as place
        from candidates c, unnest(v_words, v_are_pairs, v_queries, v_weights) u (word, is_pair, query, weight) where c.words @@ u.query
    ), points as (
      select m.tree_id, m.import_id, m.ai_session_id, m.words, m.word, m.is_pair, max(m.weight * m.place) as points,
             coalesce(max(m.weight * m.place) filter (where m.place > 0.5), 0) as front, bool_or(m.place > 0.9) as is_titled
        from matches m group by 1, 2, 3, 4, 5, 6
    ), totals as (
      select p.tree_id, p.import_id, p.ai_session_id, sum(p.points) / (0.9 + 0.1 * length(p.words) / 150.0) as score, bool_or(p.is_titled) as is_titled,
             max(p.front) as best, count(*) filter (where p.front > 0 and not p.is_pair) as front_words,
             -- What is only in the body counts half.
             (sum(p.points) + sum(p.front)) / 2 / least(v_all, case when v_is_small then 30 else 40 end) / case when v_is_small then 1.2 else 1 end
               * greatest(1, (count(*) + count(*) filter (where p.front > 0 and not p.is_pair)) / 2.0) ^ 0.7 as share
        from points p group by 1, 2, 3, p.words
    )
    select t.tree_id, t.import_id, t.ai_session_id, t.score from totals t
     where case when v_is_small then (t.best >= v_rare or t.share >= 0.5) and t.share >= case when t.is_titled then 0.45 else 0.42 end
                else t.best >= v_rare and (t.is_titled and t.share >= 0.28 or t.front_words >= 2 and t.share >= 0.4) end order by 4 desc, 1, 2, 3 limit p_limit;
end $$;

-- Returns the start of the text of an entry that is embedded.
create function app.entry_text(e knowledge_entries, p_characters integer) returns text language sql stable set search_path = public, pg_temp as $$
  select left(array_to_string(coalesce(
    (select app.flow_texts(t) from trees t where t.account_id = e.account_id and t.id = e.tree_id),
    (select app.article_texts(i) from kb_imports i where i.account_id = e.account_id and i.id = e.import_id),
    (select app.session_texts(s) from ai_sessions s where s.account_id = e.account_id and s.id = e.ai_session_id)), E'\n'), p_characters)
$$;

-- Returns the entries of the account and the platform that are near an embedding, nearest first. The signs choose 100 of up to 5,000 entries per
-- account, whose cosines are then computed. How similar unrelated texts are depends on the model: the average over a sample of all entries says it.
-- An entry must be 30 % of the way from there to the same text, so that nothing is near a text that no entry fits.
-- Security definer like app.find_knowledge; the caller joins the ids to the rows that the policies show.
create function app.find_similar_knowledge(p_embedding real[], p_model text, p_limit integer)
returns table (tree_id uuid, import_id uuid, ai_session_id uuid, similarity double precision)
language plpgsql stable security definer rows 20 set search_path = public, pg_temp as $$
declare
  v_signs constant bit varying := app.embedding_signs(p_embedding);
begin
  perform app.require_scope();
  if p_embedding is null then
    return;
  end if;
  return query
    with entries as materialized (
      select k.account_id, k.entry_id, row_number() over (order by bit_count(k.signs # v_signs), k.entry_id) as place,
             greatest(1, count(*) over () / 100) as step
        from unnest(array[app.account_id(), app.platform_account()]) a (id), lateral (
          select e.* from knowledge_embeddings e
           where e.account_id = a.id and e.model = p_model and length(e.signs) = length(v_signs) order by e.entry_id desc limit 5000) k
    ), compared as materialized (
      select c.*, (select sum(x::double precision * y) from unnest(k.embedding, p_embedding) v (x, y)) as cosine
        from entries c join knowledge_embeddings k using (account_id, entry_id) where c.place <= 100 or c.place % c.step = 0
    ), ordinary as (
      select avg(c.cosine) filter (where c.place % c.step = 0) as cosine from compared c
    )
    select e.tree_id, e.import_id, e.ai_session_id, c.cosine
      from compared c join ordinary o on c.cosine - o.cosine >= 0.3 * (1 - o.cosine)
      join knowledge_entries e on e.account_id = c.account_id and e.id = c.entry_id
     where c.place <= 100 order by 4 desc, 1, 2, 3 limit p_limit;
end $$;
