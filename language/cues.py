"""The words and phrases by which a sentence gives a cue, in the languages that we know something of.

Implements specs/capture.md (K-23). Tables only; `language.signals` reads sentences with them. A phrase is here because many people say it:
none is made for one sentence.
"""

from __future__ import annotations

OPENERS = frozenset(
    """ok okay k hey hi hello so well oh ah hm hmm btw and also please pls plz but alright right fyi yo um uh
    then anyway anyways listen look sorry ja also und aber et mais y pero e mas bitte por favor stp svp
    thx ty lol now besides plus first second third finally lastly oops yes yeah yep yup sure great thanks cool nice perfect good
    reminder important
    """.split()
)
"""Words that open a sentence and say nothing of it."""

COMMAS = frozenset(",:;—–-!()")

TABLE = """
remember: remember that | remember this | remember : | please remember | remember to always |
  to remember that | remember for | keep in mind | keep it in mind | keep that in mind | bear in mind |
  make a note that | make a note : | make a note for | make a note , | take a note that | take a note : | note to self |
  write yourself a note | make yourself a note | note to yourself | hold on to this | hold onto this | file that away | file this away |
  file away : | for your memory | keep this on file | put this on file | put that on file | next time * remember | for next time : |
  log this for later | keep this for later | for the record | for future reference | for your memory |
  to your memory | in your memory | save to memory | add to memory | note down that | note this down |
  don't forget that | don't forget i | don't forget we | don't forget my | never forget that |
  never forget i | to your memory | store this for later | store for later | save for later | save this for later |
  note for later | keep for later | store my | store our | save my | store that my | save that my | store in memory |
  can you remember my | can you remember our | can you remember that | could you remember my | could you remember that |
  could you note | can you note that | can you keep in mind | could you keep in mind | commit to memory |
  commit this to memory | jot down | memorize | memorise |
  put it in memory | put that in your notes | worth remembering | merk dir | merke dir | denk daran |
  denke daran | vergiss nicht | nicht vergessen | behalte im kopf | souviens-toi | rappelle-toi |
  n'oublie pas | retiens que | garde en tête | recuerda que | recuerda : | no olvides que |
  ten en cuenta | apunta que | anota que | lembre-se | lembra que | lembre que | não esqueça |
  não se esqueça | tenha em mente | anota aí | ^ remember that | ^ remember : | ^ remember i |
  ^ remember we | ^ remember my | ^ remember ,
notice: remember i | remember my | remember we | remember , | remember the | remember our |
  should remember | write this down | write that down | store this | please note | ^ note that |
  ^ note : | ^ nb : | ^ ps : | ^ fyi | save this | store that | save that | you should know |
  so you know | just so you know | for context | some context | zur info | note que | pour info |
  para que sepas | ^ remember
recall: i remember | do you remember | you remember | don't remember | dont remember | can't remember |
  can you remember | remember when | remember how | remember what | remember where | remember why |
  remember if | remember whether | remember to | remember it | remember the time | to remember
forget: forget the thing | what you saved | what you stored | what you noted | what you know about | what you remember about |
  stored note | saved note | the note that | the memory that | the memory about | from your memories | from your notes | in your memory |
  in your notes | vergiss bitte | vergiss dass | vergiss , dass | lösch | lösche | streich | oublie que | oublie mon | oublie ma |
  oublie mes | efface | supprime | olvida que | olvida mi | borra | esqueça que | esquece que | apaga |
  apague | forget what | forget everything | forget anything | forget all | forget about my |
  forget about the | forget about our | forget my | forget that i | forget that we | forget i |
  forget the | you can forget | please forget | don't remember | stop remembering | from your memory |
  from memory | delete the memory | remove the memory | delete what you | erase what | wipe what |
  scrap what | scrap that note | scrap the note | delete that note | delete the note | drop the note |
  drop the bit | scrap the bit | remove the note | you've stored | you stored | you saved |
  your notes about | what i said about | what i told you about | vergiss was | vergiss alles |
  vergiss , was | oublie ce que | oublie tout | olvida lo que | olvida todo | esqueça o que |
  esquece o que
not_forget: don't forget | do not forget | never forget | dont forget | forget it | nicht vergessen |
  n'oublie pas | no olvides
house: in this repo we | in this repo , we | in this project we | in this project , we | in this codebase we |
  in this codebase , we | in this repository we | in this repository , we | in this code base we | in our repo we |
  in our project we | in our codebase we | in our code we | in our team we | on this team we | on our team we |
  in this team we | on this project we | in our company we | at our company we | in this monorepo we |
  in diesem repo | in diesem projekt | dans ce projet on | dans ce projet nous | en este proyecto | neste projeto
aside: we have | we need | we got | we should | we could | we want | we just | we are | we're | we had | we lost |
  we still | we broke | we found | we can | we see | we saw
ending: , always $ | , always ! $ | , every time $ | , each time $ | , every single time $ | , at all times $ |
  , no exceptions $ | , without exception $ | , immer $ | , toujours $ | , siempre $ | , sempre $ | always please $
standing: from now on | from here on | from here on out | from this point | going forward |
  moving forward | in future | for the future | henceforth | hereafter | for all future | as a rule |
  as a general rule | until i say otherwise | unless i say | unless i tell | permanently |
  across sessions | ab jetzt | ab sofort | von jetzt an | von nun an | in zukunft | künftig |
  zukünftig | désormais | dorénavant | à partir de maintenant | à l'avenir | a partir de ahora |
  de ahora en adelante | en adelante | por regla general | a partir de agora | de agora em diante |
  daqui para frente | daqui em diante
regular: every time | each time | everytime | whenever | in general | generally | by convention |
  house style | house rule | any time | anytime | as policy | is policy | company policy | by default |
  default to | unless i ask | unless told | unless asked | for good | jedes mal |
  grundsätzlich | standardmäßig | chaque fois | par défaut | cada vez | por defecto | toda vez |
  sempre que | por padrão | in the future | no futuro | en el futuro | in every session | at all times
habit: always | never | ever | constantly | usually | normally | typically | mostly | immer | nie |
  niemals | stets | toujours | jamais | siempre | nunca | sempre | every day | every week |
  every morning | every monday | every friday | each week | mondays | fridays | sundays
prefer: i prefer | i'd prefer | i would prefer | i much prefer | i really prefer | i actually prefer |
  i generally prefer | i usually prefer | i always prefer | i tend to prefer | i personally prefer |
  my preference | i'd rather | i would rather | i'd sooner | i like it when | i'm a fan of |
  i am a fan of | my favourite | my favorite | we prefer | i'm fond of | i insist | ich bevorzuge |
  ich mag lieber | ich ziehe * vor | mir ist * lieber | am liebsten | ich hätte gern | je préfère |
  je préférerais | j'aime mieux | prefiero | preferiría | prefiro | eu prefiro | gosto mais
points: the | this | that | it | these | those | one | ones | second | latter | former | option | version | here | there | something |
  a | an | her | his | their | our | no more | number
likes: i like my | i like to | i like when | i like * better | i like short | i love | i enjoy |
  i'm into | prefer * over | prefer * to | prefers | j'aime | me gusta | me gustan | gosto de |
  eu gosto | i favor | i favour | big fan of
dislike: i hate | i dislike | i don't like | i do not like | i can't stand | i cannot stand | i detest |
  can't stand | i never want | i'm not a fan | not a fan of | i don't want you | i do not want you |
  i avoid | pet peeve | annoys me | drives me mad | drives me crazy | bugs me | i loathe |
  i can't bear | ich hasse | ich mag kein | ich mag keine | ich mag nicht | je déteste | je n'aime pas |
  odio | no me gusta | detesto | não gosto | odeio
wants: i want you to | i'd like you to | i would like you to | i need you to | i expect you to |
  i'd appreciate it if you | it helps me | helps me if | would help me | works best for me |
  works for me best | you should always | you should never | you must | you should |
  ich möchte dass du | ich will dass du | je veux que tu | je voudrais que tu | quiero que |
  me gustaría que | quero que você | quero que
name: my name is | my name's | call me | i go by | i'm called | i am called | my full name |
  my nickname | my handle is | my username is | my github is | my pronouns | pronouns are | ich heiße |
  ich heisse | mein name ist | nenn mich | je m'appelle | appelle-moi | mon nom est | me llamo |
  mi nombre es | llámame | meu nome é | me chamo | me chame de | eu me chamo | people call me
family: my wife | my husband | my partner | my girlfriend | my boyfriend | my fiancé | my fiancée |
  my son | my daughter | my kid | my kids | my children | my mother | my mom | my mum | my dad |
  my father | my brother | my sister | my parents | my grandmother | my grandfather | my cat | my cats |
  my dog | my dogs | my cat's | my dog's | my son's | my daughter's | my wife's | my husband's |
  my partner's | my horse | my parrot | my rabbit | my hamster | my pet | my baby | my twins |
  my nephew | my niece | my aunt | my uncle | my cousin | my roommate | my flatmate | meine frau |
  mein mann | meine tochter | mein sohn | meine katze | mein hund | ma femme | mon mari | ma fille |
  mon fils | mon chien | mon chat | mi esposa | mi marido | mi hija | mi hijo | mi perro | mi gato |
  minha esposa | meu marido | minha filha | meu filho | meu cachorro | minha gata | meu gato
is_named: name is | name's | is called | is named | are called | is * years old | 's birthday |
  is allergic | are called | heißt | s'appelle | se llama | se chama
works: i work as a | i work as an | i work as the | i'm working as a | i'm working as an | by trade | by profession | for a living |
  i earn my living | ich arbeite als | ich bin von beruf | je travaille comme | trabajo como | trabalho como
lives: i live in | i live near | i'm based in | i am based in | i'm from | i am from | ich wohne in |
  ich lebe in | ich komme aus | j'habite | vivo en | moro em | vivo em
states: runs on | runs at | run on | run at | is on | is at | is in | lives in | is installed |
  listens on | uses | use | is called | is the | has | is `
does_with: ^ deploy with | ^ build with | ^ test with | ^ run with | ^ start with | ^ lint with |
  ^ format with | ^ publish with | ^ release with | ^ install with | we deploy with | we build with |
  we test with | we run * with | tests run with
health: i'm allergic | i am allergic | allergic to | allergy | i'm vegan | i'm vegetarian | i am vegan |
  i am vegetarian | vegan | vegetarian | lactose | gluten | celiac | coeliac | diabetic | diabetes |
  asthma | adhd | dyslexic | dyslexia | colorblind | colourblind | color-blind | colour-blind |
  color blind | colour blind | deuteranopia | i'm deaf | i'm blind | migraine | migraines | epilepsy |
  autistic | pregnant | wheelchair | rsi | tinnitus | intolerant | i don't drink | i don't eat |
  i can't eat | i don't smoke | teetotaller | screen reader | hard of hearing | burnout | insomnia |
  allergisch gegen | allergique | alérgico | alérgica | vegetarier | vegetarierin | végétarien |
  végétarienne | vegetariano | vegetariana
place: i live in | i live near | i'm based in | i am based in | i'm from | i am from | i moved to |
  moved to | i'm in | i am in | based in | my timezone | my time zone | i'm on utc | my city | my town |
  where i live | i work from | ich wohne in | ich lebe in | ich komme aus | j'habite | je vis |
  vivo en | soy de | moro em | vivo em | sou de | my hometown | i relocated
role: i work as | i work at | i work for | i work in | i'm a | i'm an | i am a | i am an | i'm the |
  i am the | my job | my role | my boss | my manager | my team | my company | my employer | i run a |
  i own a | i teach | i study | i'm studying | i manage | i lead | i maintain | i'm responsible |
  by profession | for a living | by trade | my background | years of experience | i know my way |
  i'm new to | i am new to | new to this | i don't know any | i know nothing | never used |
  never written | i'm learning | i am learning | i've been | i'm not a | i am not a | ich arbeite als |
  ich arbeite bei | ich bin | je suis | je travaille | soy | trabajo como | trabajo en | eu sou | sou |
  trabalho como | trabalho na | trabalho no | we're a | we are a | i'm on | my birthday | i was born |
  i speak | my native | native speaker | mother tongue | my first language | i'm left-handed |
  i'm right-handed | i've got | i have a | i own
decided: i've decided | i decided | i have decided | we've decided | we decided | we have decided |
  decided on | decided to | decided that | decided with | decided : | decision : | decision made | decision taken | decision is |
  the decision | decision from | settled on | we settled | we chose | we picked | we've chosen |
  we agreed | we've agreed | wir haben uns für | wir haben entschieden | wir haben beschlossen |
  ich habe mich entschieden | ich habe entschieden | entschieden für | on a décidé | nous avons décidé |
  j'ai décidé | on a choisi | nous avons choisi | hemos decidido | he decidido | decidimos
chosen: talked it over | talked it through | my mind is made up | made up my mind | has settled it | have settled it | all agreed |
  the team agreed | the board agreed | the committee agreed | the partners agreed | the members agreed | and i agreed | team voted |
  board voted | committee voted | partners voted | members voted | board decided | committee decided | lab settled | was voted |
  approved the | approved dropping | approved moving | for good and all | c'est acté | est tranché | queda decidido | sind uns einig |
  ^ chose | ^ picked | ^ settled on | our pick is | off the table | the vote went | we ended up on | we ended up with | wins , |
  signed off | bit the bullet | that's what we'll | the verdict | the outcome | we went for | i went for | i'm going for |
  we're both sure | unanimous | we're going with | we are going with | i'm going with | i am going with | we'll go with |
  we went with | went with | going with | i chose | i picked | agreed that | agreed on | it's official |
  it's settled | that's settled | is decided | that's decided | is final | final answer |
  we're moving to | we are moving to | we're switching to | we switched to | we're dropping |
  we dropped | we moved to | we migrated to | migrated to | switched to | was dropped | is out |
  in the end | voted for | verdict : | adr | nos quedamos con | decidi | vamos de | escolhemos |
  ficou decidido
committed: i promised | i'll make sure | i promise | i commit to | i'm committed to | my goal is |
  my goal | i aim to | i'm training for | i'm saving for | deadline is | due on | hold me to
hedged: pretty sure | fairly sure | i'd have to check | would have to check | je crois | à voir | looks like we might |
  not 100% sure | not entirely sure | if i recall | mal sehen | a ver si | i suppose | i think | i guess |
  i suppose | maybe | might | perhaps | possibly | probably | thinking about |
  thinking of | considering | not sure | i'm not sure | unsure | i wonder | wondering | could be |
  might be | may be | seems | seems like | kinda | sort of | kind of | i believe | leaning towards |
  leaning toward | toying with | tempted to | playing with the idea | one day | someday |
  at some point | we'll see | don't know if | dunno | i feel like | iirc | if i remember | i may |
  we may | could switch | should probably | tend to think | vielleicht | eventuell | ich glaube |
  ich überlege | ich denke | peut-être | je pense | quizás | quizá | tal vez | creo que | a lo mejor |
  talvez | acho que
passing: only to try | just to try | to try it | just to see | to reproduce | in this shell | until | in this loop | in this class |
  in this component | in this block | in this snippet |
  in this case | in here only | for now | this time | just this once | this once | just once | for once | today | tonight |
  right now | at the moment | for the moment | for this pr | in this pr | this pr | for this one |
  for this task | for this file | in this file | this file | this function | this commit | this branch |
  this run | this message | this email | this session | tomorrow | yesterday | this week |
  this morning | this afternoon | this evening | this sprint | this weekend | next week | last week |
  last night | in a minute | in a bit | in a sec | brb | for a sec | for a second | temporarily |
  temporary | in the meantime | meanwhile | until then | while you're | while you are | just for |
  only for this | this test | this one | one-off | one off | quickly | real quick | asap | first pass |
  in this case | in this handler | in this script | in this chat | in there | for this release |
  this release | here's the | here is the | in this function | in this example | for a moment |
  erstmal | heute | diesmal | gerade | vorerst | nur dieses mal | nur jetzt | für jetzt | morgen |
  aujourd'hui | cette fois | pour l'instant | hoy | esta vez | por ahora | mañana | hoje | desta vez |
  por enquanto | amanhã
progress: a minute ago | a moment ago | an hour ago | minutes ago | hours ago | done | still fails | still failing | still broken |
  works now | fixed it | it works | pushed |
  merged | deployed | finished | i'm going to | i am going to | i'm about to | gonna | on it | back |
  let me | i'll | i will | i just | just now | working on | i've just | i tried | i ran | i get |
  i'm getting | i got | i see | i saw | i noticed | running it | trying | waiting
mend: fix it | fix that | fix this | look into it | look into that | look into this | set it to | set that to | change it to |
  change it back | repair it | mend it | debug it | debug this | investigate | see why | find out why | any idea | any ideas |
  what gives | what's wrong | what is wrong | make it work | undo it | undo that | revert it | revert that | clean it up |
  get it back | check it | check that | check what's | correct it
broken: corrupt | corrupted | garbled | blurry | stopped working | 401 | 403 | 429 | 502 | 503 |
  segfaults | deadlocks | leaks |
  never finishes | never loads | never ends |
  dies | died | chokes | spins |
  always get | always getting | always see | keep getting | keeps getting | broken | fails | failing | failed | crashes | crashed |
  crash | error | errors | bug |
  doesn't work | does not work | not working | isn't working | won't | hangs | stuck | timed out |
  times out | 404 | 500 | exception | is down | is red | flaky | regression | slow | missing | wrong
correct: ^ no , | ^ no ; | ^ no : | ^ no - | ^ no — | ^ no - use | ^ no use | ^ no it's | ^ no its |
  ^ no that's | ^ no we | ^ no i | ^ no don't | ^ no the | ^ no no use | ^ no no , use | ^ no no it's | ^ no no , it's |
  ^ no , no , use | ^ no , no use | ^ nope | ^ no ! | ^ nah | ^ wrong | ^ not * , |
  ^ actually | i said | i meant | i mean | i told you | told you | as i said | like i said |
  i already said | how many times | not what i | that's wrong | that is wrong | that's not |
  that's incorrect | you keep | you always forget | you forgot | you used | you're using | again you |
  once more | third time | second time | last time | stop using | stop doing | stop adding |
  stop writing | stop putting | quit using | correction : | ^ correction | i repeat | should be |
  should have been | it's not | nein , | ^ nein | falsch | ich sagte | ich meinte | ^ non , | ^ non |
  je voulais dire | j'ai dit | ^ no es | quise decir | dije | ^ não | eu disse | quis dizer | undo that
contrast: instead of | rather than | , not | and not | not * but | over | instead | anstatt | statt |
  und nicht | , nicht | sondern | nicht * sondern | au lieu de | plutôt que | et pas | , pas |
  en vez de | en lugar de | y no | , no | em vez de | ao invés de | e não | , não
rule: should | must | mustn't | shouldn't | must not | should not | have to | has to | needs to |
  need to | is required | required | mandatory | forbidden | banned | not allowed | is allowed |
  only ever | off limits | off-limits | no exceptions | without exception | is a must | are a must |
  goes into | go into | belongs in | belong in | lives in | live in | lives next | live next |
  live under | lives under | is written in | are written | is deployed | are deployed | runs on |
  run on | only runs | is called | are called | is named | are named | stands for | means | we call |
  is reserved | never touch
deny: don't | do not | dont | never | no more | avoid | stop | without | nie | niemals | kein | keine |
  nicht | jamais | ne | pas | nunca | não | no
project: in this project | in this repo | in this codebase | in this code base | in this repository |
  this project | this repo | this codebase | this repository | the project | the repo | the codebase |
  our project | our repo | our codebase | our code | our team | our ci | our stack | our style |
  our convention | in here | code style | codebase | repo | monorepo | in diesem projekt |
  in diesem repo | dans ce projet | dans ce dépôt | en este proyecto | en este repo | neste projeto |
  neste repo | for this project | for this repo | convention
team: we | we're | we've | we'll | we'd | our | ours | us | wir | unser | unsere | nous | notre | nos |
  nosotros | nuestro | nuestra | nós | nosso | nossa
machine: en este portátil | en este equipo | en este ordenador | sur ce portable | auf diesem laptop | auf dieser kiste | neste computador |
  neste notebook | on this machine | on my machine | this machine | my machine | on my laptop | this laptop |
  on this laptop | this box | on this box | on this computer | this computer | this workstation |
  on my side | auf diesem rechner | auf meinem rechner | auf dieser maschine | auf meinem laptop |
  sur cette machine | sur mon poste | sur ma machine | en esta máquina | en mi máquina |
  en mi portátil | nesta máquina | na minha máquina | no meu notebook
local: my laptop | my box | my computer | my mac | my macbook | my desktop | my workstation | my pc |
  my windows | my wsl | wsl | this checkout | my checkout | this clone | my clone | locally |
  localhost | local setup | my local | the local | my setup | my terminal | my shell | this server |
  this host | this vm | my vm | this container | devcontainer | my homebrew | my ssh config |
  my dotfiles | my home directory | in my path | my editor | this node | this pi | the gpu here |
  this wsl
answers: answer | answers | reply | replies | respond | response | responses | explanation |
  explanations | explain | summary | summaries | summarise | summarize | emoji | emojis |
  bullet points | tone | verbose | concise | brief | short | shorter | terse | apologise | apologize |
  compliment | small talk | ask me | tell me | show me | talk to me | speak | write to me | formatting |
  markdown | in english | in german | in french | in spanish | in portuguese | in italian | in dutch |
  antworte | antworten | réponds | réponses | responde | respuestas | respostas | responda |
  auf deutsch | auf englisch | en français | en anglais | en español | en inglés | em português |
  em inglês | step by step | confirm with me | check with me | ask first | ask before | your answers |
  your replies | your output | language
all_answers: answers | replies | responses | explanations | summaries | apologies | your output | no emojis | emojis please $ |
  use emojis $
tool: deploy with | build with | test with | run with | start with | lint with | format with |
  publish with | release with | install with | to deploy | to build | to run | to test | to release |
  to start | use ` | run ` | with ` | via ` | through ` | package manager | command is | port |
  tests run
self: i | i'm | i've | i'd | i'll | im | ive | my | mine | me | myself | ich | mein | meine | mir |
  mich | je | j'ai | mon | ma | mes | yo | mi | mis | eu | meu | minha
third: customer | customer's | client's | patient | patients | narrator | protagonist | heroine | hero | character |
  he | she | they | his | her | their | people | someone | somebody | everyone | nobody |
  customers | users | boss | colleague | friend | client
reported: sagt immer | sagt , | meint , | dit toujours | dit que | dice siempre | dice que | diz sempre | diz que |
  always says | says i should | says we should | he said | she said | they said | he says | she says | they say | he told | she told |
  they told | he wrote | she wrote | told me | says that | said that | according to | apparently |
  the docs say | docs say | i read | i heard | it says | someone said | the article | the readme says |
  people say | claims that | according
hypothetical: exam case | case study | exam question | for my exam | for the exam | in the exercise | for this exercise | fictional |
  in my novel | in my story | imagine | pretend | suppose | supposing | hypothetically | let's say | lets say |
  what if | if i were | if we were | would have | roleplay | role-play | act as | you are a |
  in theory | say we | just curious | for the sake of | for fun
greeting: ^ hi | ^ hello | ^ hey | good morning | good evening | good afternoon | how are you |
  guten morgen | guten tag | hallo | bonjour | salut | hola | buenos días | olá | bom dia | what's up
thanks: thanks | thank you | thx | ty | cheers | danke | merci | gracias | obrigado | obrigada |
  appreciated
praise: great | awesome | perfect | nice | excellent | good job | well done | love it | looks good |
  lgtm | amazing | brilliant | i like it | i like that | i like this | i love it | i love this |
  i love that | sweet | lovely | neat | super | toll | génial | genial | ótimo
assent: ^ yes | ^ yep | ^ yeah | ^ sure | ^ ok $ | go ahead | do it | do that | sounds good | option 1 |
  option 2 | agreed $ | makes sense | ^ no thanks | no thank you | never mind | nevermind | not needed |
  no need | no worries | all good | that's fine | it's fine | fine by me | your call | up to you
ask: can you | could you | would you | will you | can we | could we | please | pls | plz | bitte |
  kannst du | könntest du | peux-tu | s'il te plaît | puedes | podrías | por favor | você pode | pode
request: i need | i want | i'd like | i would like | we need | help me | let's | lets | give me |
  i'm looking for | show me | have a look
purpose: because | since | so that | due to | as it | otherwise | or else | weil | parce que | porque
cond: if | when | where | in case | unless | wenn | falls | si | quand | cuando | se | quando
limited: only | just | exactly | at least | at most | max | maximum | minimum | nothing else | all of
"""
"""The phrases of each signal: `^` is where a sentence begins, `$` where it ends, `*` one word of any kind."""

DEEDS = frozenset(
    """start run build test deploy lint format release publish install launch serve seed migrate generate regenerate reset restart stop
    compile package bootstrap typecheck type-check benchmark rebuild train bundle preview sync provision setup""".split()
)
"""What one does again and again with a project, each time with the same command."""

TAGS = frozenset("ok okay right please pls yeah alright".split())
"""Words before a question mark that ask for no more than assent."""

TASKS = frozenset(
    """fix add write create make run check find look implement refactor rename remove delete update change move open read give try
    go generate build test commit push merge revert bump deploy install debug investigate list compare convert extract split
    draft sketch set put replace rerun retry restart reset clean sort merge rebase squash print log search grep show tell explain
    describe summarize summarise translate review figure help start finish continue proceed undo redo drop take pull fetch wire
    port migrate upgrade downgrade scaffold lint format tidy cut trim strip swap copy paste ship tag bring let plot train plan
    schreib mach erstelle füge lösche zeig prüfe écris ajoute corrige montre crée escribe agrega arregla crea escreva adicione""".split()
)
RULES = frozenset(
    """use always never don't dont avoid prefer keep stick stop ensure follow assume treat expect answer reply respond speak
    address ask call no only default leave remember note respect limit quit skip refrain do
    benutze verwende nutze antworte nimm utilise réponds évite usa utiliza responde evita use responda evite""".split()
)
ASKS = frozenset(
    """what why how who whom whose where which is are was were do does did can could would should shall will has have am
    isn't aren't doesn't didn't won't what's where's who's how's warum wieso wie was wer wo welche welcher welches kann
    pourquoi comment quand où quel quelle est-ce qu'est-ce qué cómo cuándo dónde cuál por que como onde qual any""".split()
)
