/** How sentences of one language announce a step. All text is in lower case. */
export interface Language {
  /**
   * Letters or words that every announcement in this language contains. Without them its other patterns need not be
   * built, which takes milliseconds.
   */
  needs: RegExp;
  /** A sentence with one of these announces a step. */
  announces: readonly Pattern[];
  /** A sentence with one of these leaves the step to somebody else, to a condition, or to another time. */
  leaves: Pattern;
}

type Pattern = Pick<RegExp, 'test'>;

/**
 * Returns a pattern whose `<` and `>` are the start and the end of a word, and whose `~` is a letter or a digit. It is
 * built when it is first used.
 */
function words(pattern: string): Pattern {
  let built: RegExp | undefined;
  return {
    test(text) {
      built ??= withWordBounds(pattern);
      return built.test(text);
    },
  };
}

/**
 * Letters and digits of the scripts of all languages below. With `\p{L}`, the patterns take five times as long to
 * build, and every run with an answer builds most of them.
 */
const INSIDE = String.raw`[\w\xaa\xb5\xba\xc0-\xd6\xd8-\xf6\xf8-\u024f\u0400-\u0481\u048a-\u052f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]`;

function withWordBounds(pattern: string): RegExp {
  // `(?<` and the like stay as they are.
  const bounded = pattern
    .replaceAll(/(?<!\(\?)<(?![=!])/g, `(?<!${INSIDE})`)
    .replaceAll('>', `(?!${INSIDE})`)
    .replaceAll('~', INSIDE);
  return new RegExp(bounded);
}

/** Verbs of steps that an agent takes with its tools. `Let me know` and `I'll wait` announce nothing. */
const VERBS = `(?:add(?! that>)|address|adjust|analy[sz]e|apply|begin|build|change|check|clean|commit|compare|compile|complete|configure|confirm|continue|convert|correct|create|debug|define|delete|dig|do|double-check|double check|edit|enable|ensure|examine|execute|explore|extend|extract|fetch|figure|find|finish|fix|generate|get|go (?:over|through)|grep|handle|implement|improve|inspect|install|investigate|lint|list|load|locate|look(?! forward)|make(?! sense)|measure|merge|migrate|modify|move|open|patch|port|prepare|proceed|put|read|rebuild|refactor|remove|rename|replace|reproduce|rerun|re-run|resolve|restart|revert|review|revise|rewrite|run|search|see|set|simplify|split|start|switch|tackle|take a (?:[a-z]+ )?look|test|trace|track|try|tweak|update|use|validate|verify|view|wire|work|write)>`;

const GERUNDS =
  '(?:adding|applying|building|changing|checking|cleaning|compiling|creating|debugging|editing|fixing|implementing|inspecting|installing|investigating|looking|reading|refactoring|removing|rerunning|re-running|rewriting|running|searching|starting|testing|updating|validating|verifying|writing)>';

const ADVERBS =
  '(?:(?:now|next|then|also|still|just|first|quickly|briefly|finally|probably|go ahead and|go on to|try to|start by [a-z]+ing and|proceed to) )*';

/** Where a clause begins: at the start of the sentence, or after a comma or a word that joins. */
const CLAUSE = '(?:^|[,;:–—-] ?|<(?:and|so|then|now|next|but|also|first|think) )';

const ENGLISH: Language = {
  needs:
    /\b(?:let|allow|i|we|time|will|going|gonna|my|now|next|then|proceeding|moving|continuing|on|onto)\b|…/,
  announces: [
    // "Let me now run the tests", "Next, I'll check", "Now I will update", "I'm going to fix", "I should verify"
    words(
      `${CLAUSE}(?:let me|let us|let's|allow me to|i'll|i will|i shall|i should|i must|i'm (?:now )?going to|i am (?:now )?going to|i'm about to|i am about to|i plan to|we'll|we will|we're going to|we should) ${ADVERBS}(?:start by |begin by |continue by )?(?:${VERBS}|${GERUNDS})`,
    ),
    // "Now I need to update the imports", "I still have to run the tests", "Now we need to run them"
    words(`${CLAUSE}i (?:now |still |also )?(?:need|have|want) to ${ADVERBS}${VERBS}`),
    words(`<(?:now|next|then),? we (?:still |also )?(?:need|have) to ${ADVERBS}${VERBS}`),
    // "I'm now running the tests", "I am checking the log", "I'm moving on to the docs"
    words(`${CLAUSE}(?:i'm|i am) (?:now |currently )?(?:${GERUNDS}|moving on to>|proceeding (?:to|with)>)`),
    // "Running the tests now", "Now updating the docs", "Checking the log …", "Next up: fixing the loader"
    words(`^${GERUNDS}.*(?: now|…)$`),
    words(`^(?:now|next|next up|up next)[,:]? ${GERUNDS}`),
    // "Proceeding to the next file", "Now for the tests", "On to the docs"
    words(
      '^(?:now )?(?:proceeding (?:to|with)|moving on to|continuing with|on to|onto|now for|now to|now on to)>',
    ),
    // "Time to run the tests", "Now it's time to verify", "Going to run the tests", "My next step is to check"
    words(
      `${CLAUSE}(?:it's |it is )?(?:now )?time to ${ADVERBS}(?!do>)${VERBS}|^(?:will|going to|gonna) ${ADVERBS}(?!do>)${VERBS}|<my next step (?:is|will be) (?:to ${VERBS}|${GERUNDS})`,
    ),
    // "Next, I'll …"
    words(`^(?:(?:now|next|then),? )?(?:let me|i'll|i will|i'm going to)(?: now)?…$`),
  ],
  leaves: words(
    `<(?:if|unless|until|once|whenever|as soon as|when|after|before) (?:you|needed|necessary|required|requested|desired|approved|approval|it|they|this|that|the|we|ci|someone|anything|something)>|^(?:if|unless|once|when|whenever|should|until|after you)>|(?<!for )<you>|<your (?:answer|approval|call|choice|confirmation|decision|feedback|go-ahead|input|ok|okay|own|permission|reply|review|side|team|turn)>|<(?:please|next time|later|tomorrow|from now on|in (?:the|a) future|would|not|don't|won't|let me know|say the word|just say|just ask|on request|go-ahead|happy to|glad to|feel free|want me to)>|^(?:tell|ask|ping|remind) me>`,
  ),
};

const GERMAN_VERBS =
  '(?:aktualisier|analysier|änder|anpass|ansch?au|anseh|ausführ|bau|beginn|beheb|beseitig|durchführ|entfern|ergänz|erstell|fertigstell|fix|fortfahr|fortsetz|hinzufüg|implementier|installier|korrigier|lauf|les|lösch|mach|nachseh|öffn|prüf|refaktorier|reparier|schreib|start|such|test|überarbeit|überprüf|umbenenn|umsetz|untersuch|verifizier|vervollständig|weitermach)';

const GERMAN: Language = {
  needs: /ich|uns|zeit|wir/,
  announces: [
    words(
      `<(?:ich (?:werde|muss|sollte|will)|(?:werde|muss|sollte) ich|lass mich|lassen sie mich|lass uns|lassen sie uns|zeit,) (?:[^,;:]* )?(?:(?:zu)?${GERMAN_VERBS}e?n|anzupassen|anzusehen|auszuführen|durchzuführen|fortzufahren|hinzuzufügen|nachzusehen|umzusetzen|weiterzumachen)>`,
    ),
    words(
      `<(?:jetzt|nun|als nächstes|dann|zuerst|zunächst|anschließend|danach|abschließend|zum schluss),? (?:${GERMAN_VERBS}e|fahre|füge|führe|gehe|lasse|nehme|passe|rufe|schaue|sehe|setze)> ich>`,
    ),
    words(
      `^ich (?:${GERMAN_VERBS}e|fahre|füge|führe|gehe|lasse|nehme|passe|schaue|sehe|setze)> (?:mir |das |es )?(?:jetzt|nun|als nächstes|noch|zuerst|zunächst|schnell|kurz)>`,
    ),
    words(`^(?:prüfen|schauen|sehen|testen|starten|beheben|korrigieren|beginnen) wir>`),
  ],
  leaves: words(
    '<(?:wenn|falls|sobald|sofern|du|dir|dich|dein~*|euch|euer|eure~*|ihnen|ihre?[rnms]? (?:antwort|zustimmung|freigabe|bestätigung|rückmeldung)|bitte|später|morgen|künftig|nicht|nie|wissen|würde|könnte|könnten|gerne?|auf wunsch|sag|sagen|bescheid)>',
  ),
};

const FRENCH: Language = {
  needs: /je|nous|on va|laisse|permettez|reste|faut|moment|heure|ons/,
  announces: [
    words(
      "<(?:je vais|nous allons|on va|je dois|je devrais|laissez-moi|laisse-moi|permettez-moi de|il (?:me )?reste à|il me faut|c'est le moment de|c'est l'heure de) (?:(?:maintenant|ensuite|donc|encore|aussi|d'abord|à présent|tout d'abord|rapidement|également|d') ?)*(?:les? |la |l')?(?:ajouter|adapter|ajuster|analyser|appliquer|chercher|commencer|compiler|compléter|consulter|continuer|contrôler|corriger|créer|déboguer|examiner|exécuter|faire|implémenter|installer|lancer|lire|mettre|modifier|nettoyer|ouvrir|passer|poursuivre|refactoriser|regarder|relancer|remplacer|renommer|réparer|supprimer|tester|terminer|vérifier|voir|écrire)>",
    ),
    words(
      '<(?:maintenant|ensuite|puis|à présent|enfin),? (?:je|nous) (?:lance|exécute|vérifie|corrige|mets|modifie|ajoute|crée|teste|passe|regarde|continue|lançons|vérifions|passons)>|^je (?:lance|exécute|vérifie|corrige|mets|modifie|ajoute|crée|teste|passe|regarde|continue) (?:maintenant|ensuite|à présent)>|^je (?:lance|exécute|vérifie|teste) .* maintenant$',
    ),
    words(
      '^(?:(?:maintenant|ensuite|bien|bon),? )?(?:ajoutons|commençons|continuons|corrigeons|exécutons|examinons|lançons|lisons|modifions|passons|regardons|testons|vérifions|voyons)>',
    ),
  ],
  leaves: words(
    "(?<!(?:vérifier|voir|regarder|tester|confirmer|savoir|vérifie|vérifions|voyons|regarde|teste) )<s(?:i>|'il)|<(?:lorsque|quand|dès que|une fois|après que|vous|tu|te|ton|votre|vos|plus tard|demain|désormais|pas|voulez|souhaitez|n'hésitez|savoir si vous|faites-moi|dites-moi)>",
  ),
};

const SPANISH_VERBS =
  '(?:actualiz|agreg|ajust|analiz|añad|aplic|arregl|busc|cambi|comenz|comprob|compil|continu|correg|corr|cre|depur|ejecut|elimin|empez|escrib|examin|explor|hac|implement|instal|investig|le|limpi|mir|modific|prob|proced|refactoriz|reescrib|reemplaz|renombr|repar|revis|soluciona?|termin|valid|verific|v)';

const SPANISH: Language = {
  needs: /voy|[ae]mos|ré|j[ae]me|permít|deb|tengo|necesito|hora|queda|continuación/,
  announces: [
    words(
      `<(?:voy a|vamos a|déjame|déjeme|permíteme|permítame|debo|debería|tengo que|necesito|es hora de|queda) (?:(?:ahora|primero|también|todavía|aún|rápidamente) )*${SPANISH_VERBS}(?:ar|er|ir|eer)(?:l[oae]s?)?>`,
    ),
    words(
      `(?:^|[,;] ?|<(?:ahora|luego|después|primero|entonces|y) )(?:lo |la |los |las )?(?:${SPANISH_VERBS}(?:aré|eré|iré|emos|amos)|haré|veré|pasaré|pasemos|hagamos|veamos)>`,
    ),
    words(
      '<(?:ahora|a continuación),? (?:actualizo|añado|compruebo|corrijo|ejecuto|modifico|paso|pruebo|reviso|verifico)>',
    ),
  ],
  leaves: words(
    '(?<!(?:verificar|comprobar|ver|revisar|confirmar|probar) )<si>|<(?:cuando|una vez|en cuanto|usted|ustedes|tú|te|ti|tu (?:aprobación|respuesta|confirmación)|su (?:aprobación|respuesta|confirmación)|puedes|puede|quieres|quiere|deseas?|más tarde|mañana|no|saber|avísame|avíseme|dime|dígame|por favor)>',
  ),
};

const PORTUGUESE: Language = {
  needs:
    /vou|vamos|deix|permita|preciso|devo|tenho|hora|falta|rei|iono|alizo|corrijo|executo|rodo|testo|verifico/,
  announces: [
    words(
      '<(?:vou|vamos|deixe-me|deixa-me|deixa eu|permita-me|preciso|devo|tenho (?:de|que)|é hora de|falta) (?:(?:agora|primeiro|também|ainda|então|rapidamente) )*(?:acrescentar|adicionar|ajustar|alterar|analisar|aplicar|atualizar|começar|compilar|completar|continuar|corrigir|criar|depurar|editar|escrever|examinar|executar|explorar|fazer|implementar|instalar|investigar|ler|limpar|modificar|mudar|olhar|passar|procurar|prosseguir|reescrever|refatorar|remover|renomear|revisar|rodar|substituir|terminar|testar|validar|ver|verificar)>',
    ),
    words(
      '(?:^|<(?:agora|em seguida|depois|primeiro|então),? )(?:adicionarei|alterarei|analisarei|atualizarei|continuarei|corrigirei|criarei|escreverei|executarei|farei|implementarei|instalarei|lerei|modificarei|passarei|removerei|rodarei|testarei|validarei|verificarei|adiciono|atualizo|corrijo|executo|rodo|testo|verifico)>',
    ),
  ],
  leaves: words(
    '(?<!(?:verificar|ver|testar|confirmar|conferir) )<se>|<(?:quando|assim que|depois que|você|vocês|lhe|te|sua (?:aprovação|resposta|confirmação)|pode|quiser|desejar|mais tarde|amanhã|não|saber|avise|diga-me|por favor)>',
  ),
};

const RUSSIAN_FIRST =
  '(?:внесу|выполню|добавлю|доделаю|допишу|дополню|займусь|закончу|заменю|запущу|изменю|изучу|исправлю|найду|напишу|начну|обновлю|открою|отредактирую|перезапущу|переименую|перейду|перепишу|посмотрю|поправлю|поищу|приступлю|проанализирую|проверю|продолжу|протестирую|прочитаю|реализую|соберу|создам|сделаю|уберу|удалю|установлю)';

const RUSSIAN: Language = {
  needs: /[\u0400-\u04ff]/,
  announces: [
    words(
      `(?:^|[,;—–-] ?|<(?:сейчас|теперь|далее|дальше|затем|потом|сначала|и) )(?:я )?(?:(?:сейчас|теперь|далее|ещё|еще|также|сначала|быстро) )*${RUSSIAN_FIRST}>`,
    ),
    words(
      '<(?:давайте|давай) (?:(?:сейчас|теперь|сначала|ещё|еще|я) )*(?:внесём|внесем|выполним|добавим|запустим|изменим|изучим|исправим|найдём|найдем|напишем|начнём|начнем|обновим|откроем|перейдём|перейдем|посмотрим|проверим|продолжим|прочитаем|реализуем|создадим|удалим|установим|проверю|посмотрю|запущу|исправлю)>',
    ),
    words(
      '<(?:мне (?:(?:теперь|ещё|еще|сейчас) )*(?:нужно|надо|осталось|необходимо)|(?:теперь|осталось|пора)(?: нужно| надо)?) (?:(?:теперь|ещё|еще|также|сначала) )*(?:внести|выполнить|добавить|запустить|изменить|изучить|исправить|найти|написать|обновить|открыть|перейти|посмотреть|проверить|прочитать|реализовать|создать|сделать|удалить|установить)>',
    ),
    words('^(?:перехожу|приступаю) к>|^(?:сейчас|теперь) (?:запускаю|проверяю|исправляю|обновляю|добавляю)>'),
  ],
  leaves: words(
    '<(?:если|когда|как только|после того|вы|вам|вас|ваш~*|ты|тебе|тебя|хотите|хочешь|позже|завтра|впредь|не|бы|пожалуйста|дайте знать|готов|готова|по запросу)>',
  ),
};

const CHINESE_VERBS =
  '(?:运行|跑|执行|检查|查看|看看|看一下|更新|修复|修改|修正|改|添加|增加|创建|编写|写|测试|验证|实现|删除|移除|安装|读取|阅读|搜索|查找|继续|构建|编译|重构|重命名|调试|分析|处理|确认|提交|打开|调整|完善|补充|清理|完成|排查)';

const CHINESE: Language = {
  needs: /[\u4e00-\u9fff]/,
  announces: [
    words(
      `(?:让我们?|我们?(?:来|将|会|要|现在|先|再|接着|马上|这就|需要|应该|还|准备)+)[^,，;；]{0,12}?${CHINESE_VERBS}`,
    ),
    words(
      `(?:^|[,，])(?:接下来|下面|现在|然后|最后)[,，]?(?:就|开始|来|去|将|要|我)+(?:先|再)?(?:重新)?${CHINESE_VERBS}`,
    ),
    words(`^接下来[,，]?(?:重新)?${CHINESE_VERBS}`),
  ],
  leaves:
    /如果|若|假如|一旦|是否需要|要是|您|你|请|的话|可以|即可|以后|稍后|明天|不会|不再|没|无法|不能|告诉我|知道|吗$|已(?!知)|(?:完成|通过|修复|更新|修改|添加|创建|删除|运行)了/,
};

const JAPANESE_STEPS =
  '(?:(?:実行|確認|更新|修正|追加|作成|検証|調査|実装|削除|変更|検索|開始|再実行|テスト|インストール|ビルド|分析|整理|対応|リファクタリング|デバッグ)(?:を)?(?:し|して(?:み|い|いき|おき))|(?:見て|調べて|読んで|直して|書いて|試して|進めて)(?:み|いき)|調べ|読み|直し|書き|試し|始め|進め|続け|取り掛かり|取りかかり|走らせ|移り|進み)';

const JAPANESE: Language = {
  needs: /[\u3040-\u30ff]/,
  announces: [
    words(
      `^(?:次に|次は|それでは|それじゃ|では|今から|これから|まず|まずは|続いて|さらに|最後に|引き続き|ここで|残りの|早速)[、,]?.*${JAPANESE_STEPS}ます$`,
    ),
    words(`${JAPANESE_STEPS}ましょう$`),
    words('(?:して|見て|調べて|読んで|直して|試して)みます$'),
    words('(?:確認|検証|調査|実行|修正)させてください$'),
  ],
  leaves:
    /場合|もし|たら|れば|必要なら|あなた|ご(?:確認|希望|連絡|要望|指示|自身|覧)|お知らせ|(?<!させて)ください|(?:です|ます)か$|できます|ません|後で|後ほど|明日|今後/,
};

const KOREAN_STEPS =
  '(?:실행|재실행|확인|수정|업데이트|추가|생성|작성|검증|구현|삭제|변경|검색|시작|설치|빌드|조사|분석|진행|계속|테스트|점검|제거|마무리|처리|리팩터링|디버깅)(?:을 |를 )?(?:하|해 ?보|해 ?나가)?|(?:살펴|찾아|읽어|고쳐|돌려|열어) ?보|고치|읽|찾';

const KOREAN: Language = {
  needs: /[\uac00-\ud7af]/,
  announces: [
    words(`(?:${KOREAN_STEPS})(?:도록 하)?겠(?:습니다|어요)$`),
    words(
      '(?:실행|확인|수정|업데이트|추가|작성|검증|구현|삭제|변경|시작|진행|테스트|점검)(?:할게요|할게|합시다|해 ?봅시다|해 ?볼게요|하자)$',
    ),
    words('(?:살펴|찾아|읽어|고쳐|돌려|열어) ?(?:볼게요|봅시다)$'),
  ],
  leaves: /시면|하면|으면|려면|다면|되면|[까니]요?\??$|세요|주시|나중에|내일|앞으로는|않겠|않을|기다리/,
};

export const LANGUAGES: readonly Language[] = [
  ENGLISH,
  GERMAN,
  FRENCH,
  SPANISH,
  PORTUGUESE,
  RUSSIAN,
  CHINESE,
  JAPANESE,
  KOREAN,
];
