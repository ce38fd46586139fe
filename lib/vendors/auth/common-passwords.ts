// The most common passwords with ten characters or more, from public lists of leaked passwords (SecLists).
export const commonPasswords: ReadonlySet<string> = new Set(
  (
    'password123 password1234 password12345 password123! passwordpassword qwerty123456 qwertyuiop123 administrator ' +
    'letmein1234 letmein12345 welcome123 welcome1234 changeme123 changeme1234 iloveyou123 qwertyuiop 1234567890 q1w2e3r4t5 ' +
    '1q2w3e4r5t 4815162342 0987654321 12345qwert 123456789a 1234554321 1111111111 123456789q 1029384756 basketball ' +
    'soso123aljg 123qweasdzxc 12345678910 manchester 1qaz2wsx3edc 0123456789 q1w2e3r4t5y6 1123581321 1q2w3e4r5t6y qwerty12345 ' +
    '1234512345 mailcreated5240 1122334455 nuttertools qazwsxedcrfv 123456qwerty 1234567890q 0000000000 5555555555 terminator ' +
    '9876543210 california enterprise rjirfrgbde 123456789z poiuytrewq sojdlg123aljg translator fktrcfylhf deepthroat ' +
    'multiplelo christopher undertaker a123456789 motherlode sersolution qwerty1234 montgom240 salamander qwertyqwerty ' +
    '123456654321 syncmaster aleksandra rjycnfynby tinkerbell ghostrider realmadrid polniypizdec0211 1357924680 7ugd5hip2j ' +
    'playstation leavemealone dragonball 1234567890a microphone gfhjkmgfhjkm 1234567891 vsjasnel12 strawberry washington ' +
    '9293709b13 yjdsqgfhjkm qazwsxedc123 good123654 7894561230 harrypotter zxcvbnm123 alessandro abrakadabra 7777777777 ' +
    '123456789s underground ghjcnjgfhjkm password12 anastasiya zxcasdqwe123 qwert12345 pufunga7782 highlander ghhh47hj7649 ' +
    'konstantin intercourse 9999999999 12345qwerty university hellokitty absolutely htubcnhfwbz vqsablpzla roadrunner ' +
    'masterbate friendster sonyericsson skateboard penetration evangelion 0192837465 tokiohotel q123456789 nthvbyfnjh ' +
    'mississippi ironmaiden aaaaaaaaaa revolution 123456789m 1212121212 2222222222 123456789qwe 1234567899 azertyuiop ' +
    '1qazxsw23edc 123456789d 1234509876 vfntvfnbrf masterbating liverpool1 1234567890- qwerasdfzxcv password99 ghjcnbnenrf ' +
    'experienced dragonballz cheerleaers abracadabra 123456789987654321 1020304050 z1x2c3v4b5 interacial 123456123456 ' +
    '112233445566 sweetheart supersonic madagaskar 1357908642 123456789r websolutions rfhfvtkmrf q1q2q3q4q5 greedisgood ' +
    'gangbanged blackberry 1z2x3c4v5b wachtwoord volleyball qweasdzxc123 mastermind chickenwing101 123456789v 123456789o ' +
    '1234567890z unbelievable ronaldinho quant4307s housewifes flvbybcnhfnjh 8888888888 3rjs1la7qe 123321123321 groupd2013 ' +
    'ghbdtnrfrltkf ghbdtndctv experience alexander1 a1b2c3d4e5 987654321a 1qaz2wsx3edc4rfv lockerroom ejaculation a1s2d3f4g5 ' +
    '123456789123456789 spiderman1 knickerless finalfantasy contortionist 123qwe123qwe 0987654321q vflfufcrfh qawsedrftg ' +
    'newproject2004 masturbation lamborghini justinbieber comicbookdb businessbabe password01 metallica1 losangeles ' +
    'lighthouse 1a2s3d4f5g 1213141516 needforspeed casablanca armageddon 123456789l 123456789123 uncencored shevchenko ' +
    'masterbaiting babemagnet 1a2b3c4d5e 123456789p porsche911 j3qq4h7h2v christophe braveheart 12345678900 12345654321 ' +
    '0000000000o watermelon scandinavian penetrating pathfinder maurolarastefy domainlock2005 cxfcnkbdfz charlie123 ' +
    'qqqqqqqqqq qazwsxedc1 information hd764nw5d7e1vb1 dhjnvytyjub callofduty 987654321q 17171717aa yfnfitymrf techniques ' +
    'peternorth password11 maximilian insertions evanescence 8phrowz622 123hfjdk147 123456789k 123456789012 volkswagen ' +
    'ssssssssss pokemon123 montecarlo doggystyle devilmaycry darthvader 5hsu75kpot 3216732167 0102030405 supernatural ' +
    'summertime qazwsxedcrfvtgb opensesame astalavista 8phrowz624 1357913579 spartan117 solidsnake postov1000 lifeisgood ' +
    'gy3yt2rgls counterstrike asdfg12345 a1a2a3a4a5 12345678901 thunderbird professional jediknight hellohello goldfinger ' +
    'ghjcnjghjcnj dkflbvbhjdbx copenhagen angelofwar admin18533362 1a2a3a4a5a vfvfvskfhfve mapet123456 limpbizkit ' +
    'fkmnthyfnbdf bondarenko aleksander 89600506779 zxcvb12345 zcxfcnkbdf wonderland qazxswedcvfr q1234567890 parliament ' +
    'galatasaray cyberonline azsxdcfvgb 23176djivanfros 123456789qwerty 123456789n 111111111111 zzzzzzzzzz zaq1xsw2cde3 ' +
    'smallville psychnaut1 prettygirl oc247ngucz mostwanted hondacivic dkflbvbhjdyf blingbling alexandria 1q2q3q4q5q ' +
    '123456789abc 1111111111zz whosyourdaddy salamandra qwertyasdfgh qwertasdfg moneymoney girlfriend duranduran darkknight ' +
    'cvzefh1gkc chocolate1 badnaamhere 89015173454 4904s677075 123123123q 1223334444 t34vfrc1991 sunderland parolparol ' +
    'ilovemyself deutschland connection cinderella astonvilla 541233432442 3333333333 1234qwerty 123456789w 123456789qaz ' +
    'winchester underworld trustnoone qpwoeiruty multimedia moneymaker mitsubishi ghbdtnghbdtn fartripper cnjvfnjkju ' +
    'bladerunner bestfriend 12345678900987654321 123123123123 1111122222 0147896325 wellington venom121293 sailormoon ' +
    'jesuschrist intelligence friendship dashadasha ctdfcnjgjkm cheesecake birthday21 51051051051 12345trewq 123456789g ' +
    '1234567890s 010203040506 vanyarespekt television qq123456789 password69 mickeymouse fktrcfylhjdbx fgjrfkbgcbc 6666666666 ' +
    '12345678901234567890 102030405060 slipknot666 rhbcnbyjxrf iddqdidkfa hellraiser fktrcfylhjdyf firefighter efbcapa201 ' +
    'devilmaycry4 devildriver cxfcnmttcnm combat123654 apocalypse 89231243658s 12345zxcvb 123456789x 1010810108 testing123 ' +
    'romanroman programmer painkiller millennium matematika m6cjy69u35 letmeinnow independent helloworld'
  ).split(' '),
)
